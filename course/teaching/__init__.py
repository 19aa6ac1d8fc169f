"""What an instructor plans a term with: goals and where they are taught, syllabi, minutes, all held against the pages."""
