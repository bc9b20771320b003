"""Which bounds on the effective horizon follow from theory, without runs?"""
