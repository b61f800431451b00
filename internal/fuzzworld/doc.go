// Package fuzzworld feeds random sets of objects, such as an API server could
// hold, to everything behind it: conversion, judgement, tree, explanation,
// reports and screen. It has tests alone. Fixed seeds run with the ordinary
// tests, others with make fuzz.
package fuzzworld
