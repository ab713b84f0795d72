import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { IDENTITIES } from './identities.ts'
import { LEFT_OUT } from './left-out.ts'
import { RECORDS } from './records.ts'
import { SERVICES } from './services.ts'

const SHELL = join(import.meta.dirname, '..')
const SDK = join(SHELL, '..')
const COUNTERPARTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...IDENTITIES,
  ...RECORDS,
  ...SERVICES,
}

/** The titles of the steps in the files of the SDK, by file. */
function stepsOfSdk(): Map<string, string[]> {
  const names = globSync(['*.ts', 'operator/*.ts', 'sign-in/*.ts'], { cwd: SDK })
  const files = names.filter((name) => !name.endsWith('.test.ts')).map((name) => join(SDK, name))
  const found = files.map((file) => {
    const titles = readFileSync(file, 'utf8').matchAll(/\bshow\(\s*(['`])(.+?)\1/g)
    return [relative(SDK, file), [...titles].map(([, , title = '']) => title)] as const
  })
  return new Map(found.filter(([, titles]) => titles.length > 0))
}

const STEP =
  /\b(?:step|refused|says|report|among|operator|operator_refused|publisher|holds|pair|write) (?:'([^']*)'|"([^"]*)")/g

/** The titles of the steps in the shell. */
function stepsOfShell(): Set<string> {
  const scripts = globSync('*.sh', { cwd: SHELL }).map((name) => readFileSync(join(SHELL, name), 'utf8'))
  return new Set(scripts.flatMap((text) => [...text.matchAll(STEP)].map(([, plain, quoted]) => plain ?? quoted ?? '')))
}

const steps = stepsOfSdk()
const leftOut = Object.values(LEFT_OUT).flat()

it('each step has a counterpart in the shell, or a reason for none', () => {
  expect([...steps.values()].flat().length).toBeGreaterThan(200)
  for (const [file, titles] of steps) {
    const known = new Set([...Object.keys(COUNTERPARTS[file] ?? {}), ...leftOut])
    expect(
      titles.filter((title) => !known.has(title)),
      file,
    ).toEqual([])
  }
})

it('each counterpart is a step of the shell', () => {
  const shell = stepsOfShell()
  const named = Object.values(COUNTERPARTS).flatMap((titles) => Object.values(titles))
  expect(named.filter((title) => !shell.has(title))).toEqual([])
})

it('names no step that is gone, and none both with and without a counterpart', () => {
  for (const [file, titles] of Object.entries(COUNTERPARTS))
    expect(
      Object.keys(titles).filter((title) => !steps.get(file)?.includes(title)),
      file,
    ).toEqual([])
  const all = [...steps.values()].flat()
  expect(leftOut.filter((title) => !all.includes(title))).toEqual([])
  const done = new Set(Object.values(COUNTERPARTS).flatMap((titles) => Object.keys(titles)))
  expect(leftOut.filter((title) => done.has(title))).toEqual([])
})
