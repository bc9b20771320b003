"""What does a person see? Figures, one self-contained HTML page, static pictures."""

from mohs.report.html import comparison_html, report_html, write_comparison, write_report
from mohs.report.png import write_comparison_png, write_png

__all__ = [
    "comparison_html",
    "report_html",
    "write_comparison",
    "write_comparison_png",
    "write_png",
    "write_report",
]
