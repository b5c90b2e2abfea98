"""Front ends: command line, Datasette, llm, agents, SQL functions. They translate between users and the library."""
