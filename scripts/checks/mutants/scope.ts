import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'

/** Pure rules, and what makes and verifies signatures: where a wrong operator is a wrong decision. */
const MUTATED = [
  'packages/*/src/**/*rules.ts',
  'workers/*/src/**/*rules.ts',
  'packages/protocol/src/{base,chain,consent,devices,did,keys,ledger,merkle,notes,statements}/*.ts',
  'packages/assertion/src/*.ts',
]
const NO_RULES = /\.(?:test|fixture)\.ts$|\/(?:schemas?|labels|examples?)\.ts$/

/** Their tests, of those that need no Workers runtime. */
export const MUTANT_TESTS = [
  'packages/protocol/src/**/*.test.ts',
  'packages/{assertion,tlog}/src/**/*.test.ts',
  'workers/*/src/**/*rules.test.ts',
]

/** The files to mutate, from the root of the repository. */
export function mutatedFiles(): string[] {
  return globSync(MUTATED, { cwd: ROOT })
    .filter((file) => !NO_RULES.test(file) && hasCode(readFileSync(join(ROOT, file), 'utf8')))
    .toSorted()
}

/** Whether anything but types, imports and comments is left of a module. */
function hasCode(source: string): boolean {
  const code = stripTypeScriptTypes(source).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return (
    code.replaceAll(/^(?:import|export \{)[\s\S]*?from .*$|^export \* from .*$/gm, '').replaceAll(/[\s;]/g, '') !== ''
  )
}
