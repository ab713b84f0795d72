#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import { processEnvironment } from './process-environment.ts'
import { run } from './run.ts'

process.exitCode = await run(process.argv.slice(2), processEnvironment())
