package kube

func processes() []process { return nil }

func inOwnGroup(int) bool { return false }

func startNoMore() {}
