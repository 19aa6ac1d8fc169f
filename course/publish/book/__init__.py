"""The book: chapters executed once, shown with their exercises, predictions and filmstrips."""
