"""What happened when: calendars, transcripts, visits, activity."""
