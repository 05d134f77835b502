"""Mechanisms, loads and operations, combined at random: each gives finite numbers or says why not.

`mechanisms` and `loads` draw a case, `operations` has what users call, `verdicts` judges what came
of it, and `refusals` are the kinds of refusal that somebody has looked at.
"""
