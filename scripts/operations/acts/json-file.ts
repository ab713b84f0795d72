import { readFileSync } from 'node:fs'
import { resolveFromCaller, SetupError } from '@svc/platform/workspace'

/** The JSON value of a file named on the command line. */
export function readJsonFile(file: string): unknown {
  const text = readFileSync(resolveFromCaller(file), 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new SetupError(`${file} is not JSON.`)
  }
}
