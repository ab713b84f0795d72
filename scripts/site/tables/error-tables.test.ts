import { ERROR_ADVICE } from '@svc/cli/error-advice'
import { ERRORS, type ErrorName } from '@svc/protocol/http/errors'
import { expect, it } from 'vitest'
import { errorTables } from './error-tables.ts'

const names = Object.keys(ERRORS) as ErrorName[]
const tables = errorTables()

it('the advice is at most three sentences and more than the message, in one row', () => {
  for (const name of names) {
    const words = ERROR_ADVICE[name].replaceAll(/\]\([^)]*\)/g, '').split(' ')
    expect(words.length, name).toBeGreaterThan(5)
    expect(words.length, name).toBeLessThan(65)
    expect(ERROR_ADVICE[name], name).toMatch(/^[^|\n]+\.$/)
    expect(ERROR_ADVICE[name], name).not.toContain(ERRORS[name].text)
  }
})

it('the errors are in the section of their status, by name', () => {
  const sections = tables.split(/^### /m).slice(1)
  const shown = sections.map((section) => [
    Number(section.slice(0, 3)),
    [...section.matchAll(/^\| `([^`]+)` /gm)].map(([, name = '']) => name),
  ]) as [number, ErrorName[]][]
  expect(shown.map(([status]) => status)).toEqual(shown.map(([status]) => status).toSorted((a, b) => a - b))
  for (const [status, errors] of shown) {
    expect(errors.filter((name) => ERRORS[name].status !== status)).toEqual([])
    expect(errors).toEqual(errors.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)))
  }
  expect(shown.flatMap(([, errors]) => errors)).toHaveLength(names.length)
})
