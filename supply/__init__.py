"""What adjudge is made of: licences, bill of materials, known holes, and a build that repeats."""
