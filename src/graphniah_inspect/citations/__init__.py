"""What a prompt says: papers, their references, and the text that carries them, written and read back."""
