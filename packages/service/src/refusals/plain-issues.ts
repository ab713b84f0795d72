/**
 * A union that takes none of its alternatives has as many lists of issues as alternatives, and a message that says
 * nothing. Callers are told those of one alternative: the one that the literal members of their value name, such as
 * `type`, otherwise the one that is nearest.
 *
 * @module
 */
import * as z from 'zod'

type Issue = z.core.$ZodIssue
type Issues = readonly Issue[]
type Place = readonly PropertyKey[]

/** The issues with those of the meant alternative in the place of each union. */
export function plainIssues(issues: Issues, at: Place = []): Issue[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path]
    if (issue.code !== 'invalid_union') return [{ ...issue, path }]
    if (issue.errors.length === 0) return [noneOf(optionsOf(issue), path)]
    return meantIssues(
      issue.errors.map((errors) => plainIssues(errors)),
      path,
    )
  })
}

function meantIssues(alternatives: readonly Issues[], at: Place): Issue[] {
  const unnamed = refusedByAll(alternatives)
  if (unnamed) return [noneOf(unnamed.values, [...at, ...unnamed.path])]
  const kinds = kindsOf(alternatives)
  if (kinds) return [{ code: 'custom', path: [...at], message: `Invalid input: expected ${oneOf(kinds)}` }]
  const [first = [], ...others] = alternatives
  const meant = others.reduce((nearest, other) => (isNearer(other, nearest) ? other : nearest), first)
  return meant.map((issue) => ({ ...issue, path: [...at, ...issue.path] }))
}

/** A place where every alternative wants a literal, not all the same, and the value has none of them. */
function refusedByAll(alternatives: readonly Issues[]): { path: Place; values: z.core.util.Primitive[] } | null {
  const [first = []] = alternatives
  for (const { path } of first.filter(isMismatch)) {
    const wanted = alternatives.map((issues) => issues.filter(isMismatch).find((issue) => isSame(issue.path, path)))
    const values = new Set(wanted.flatMap((issue) => issue?.values ?? []))
    if (wanted.every((issue) => issue !== undefined) && values.size > 1) return { path, values: [...values] }
  }
  return null
}

/** What the alternatives are, if each is of another type than the value. */
function kindsOf(alternatives: readonly Issues[]): string[] | null {
  const kinds = new Set<string>()
  for (const [issue, ...others] of alternatives) {
    if (issue?.code !== 'invalid_type' || issue.path.length > 0 || others.length > 0) return null
    kinds.add(issue.expected)
  }
  return kinds.size > 1 ? [...kinds] : null
}

/** Literals and members say what a value is meant to be; only then does it count how much else is wrong. */
function isNearer(one: Issues, other: Issues): boolean {
  const [oneOff, otherOff] = [strangenessOf(one), strangenessOf(other)]
  return oneOff < otherOff || (oneOff === otherOff && one.length < other.length)
}

/** How many literals are others, and how many members are unknown. */
function strangenessOf(issues: Issues): number {
  return issues.reduce((sum, issue) => {
    if (issue.code === 'unrecognized_keys') return sum + issue.keys.length
    return isMismatch(issue) && issue.values.length === 1 ? sum + 1 : sum
  }, 0)
}

function isMismatch(issue: Issue): issue is z.core.$ZodIssueInvalidValue {
  return issue.code === 'invalid_value'
}

function noneOf(values: readonly z.core.util.Primitive[], path: Place): z.core.$ZodIssueInvalidValue {
  const message = `Invalid option: expected one of ${z.core.util.joinValues([...values], '|')}`
  return { code: 'invalid_value', values: [...values], path: [...path], message, input: undefined }
}

function optionsOf(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.util.Primitive[] {
  return 'options' in issue && Array.isArray(issue.options) ? issue.options : []
}

function isSame(one: Place, other: Place): boolean {
  return one.length === other.length && one.every((part, at) => part === other[at])
}

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
