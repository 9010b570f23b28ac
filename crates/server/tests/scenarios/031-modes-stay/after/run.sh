#!/bin/sh
exit 0
exit 2
