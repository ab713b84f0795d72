import { expect } from 'vitest'
import type * as z from 'zod'

interface Free {
  /** Members that may be left out. */
  readonly optional?: readonly string[]
  /** Members that may be null. */
  readonly nullable?: readonly string[]
}

/** Checks that a schema takes an example as it is, needs each of its members, and takes no other. */
export function expectForm(schema: z.ZodType, example: object, { optional = [], nullable = [] }: Free = {}): void {
  expect(schema.parse(example)).toEqual(example)
  expect(schema.safeParse({ ...example, another: 1 }).success, 'another member').toBe(false)
  for (const member of Object.keys(example)) {
    const { [member]: _, ...rest } = example as Record<string, unknown>
    expect(schema.safeParse(rest).success, `without ${member}`).toBe(optional.includes(member))
    expect(schema.safeParse({ ...rest, [member]: null }).success, `${member}: null`).toBe(nullable.includes(member))
    expect(schema.safeParse({ ...rest, [member]: Symbol('other') }).success, `${member} of no kind`).toBe(false)
  }
}
