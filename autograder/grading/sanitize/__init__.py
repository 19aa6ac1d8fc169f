"""What students wrote, made safe to show: nothing in it runs, loads, misleads or fills a memory."""
