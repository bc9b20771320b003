"""How is a figure laid out where there is less room than it was drawn for? On a telephone, in a column of a paper."""

from mohs.report.fit.figure import Fitting, fitted, fitting

__all__ = ["Fitting", "fitted", "fitting"]
