"""Fuzzing: hostile and unlucky input for every door of memkit, made at random from a seed.

    make fuzz SECONDS=3600                    every target, on all processors
    PYTHONPATH=tests python -m fuzz --help    one target, one seed, one input again

`targets/` has one small file for each target: how an input is made (`make`), and what is done with it (`World`).
`values` makes hostile texts and changes valid ones; `samples` has a valid file of each format. `worker` tries inputs in
a process of its own, `run` starts workers, and notices when one dies, hangs or grows. `soundness` says whether a
database is still whole. What was found once lies in `corpus/`; tests/test_fuzz.py tries it in every run of the tests.

A finding is any of: an exception that is not an error of memkit's own; an answer 500; more than two seconds of work for
one input, three times in a row; a process that dies; 400 MB of memory for one input; a database that is not whole
afterwards; a text that is stored otherwise than it was given.
"""
