"""What goes out: feedback, reports, exports."""
