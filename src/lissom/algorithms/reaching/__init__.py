"""Inverse kinematics: states in which frames have given poses."""
