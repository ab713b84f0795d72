import { ServiceError } from '@svc/client'
import { ERRORS, type ErrorName } from '@svc/client/functions'
import { expect, it } from 'vitest'
import { failureOf } from '../failures.ts'
import { GROUPS } from '../groups.ts'
import { ACCOUNTS } from './accounts.ts'
import { CREDENTIALS } from './credentials.ts'
import { IDENTITIES } from './identities.ts'
import { COMMANDS, nextStepOf } from './next-step.ts'
import { RECORDS } from './records.ts'
import { REQUESTS } from './requests.ts'

const names = Object.keys(ERRORS) as ErrorName[]

it('each error has its advice in one place', () => {
  const parts = [CREDENTIALS, REQUESTS, IDENTITIES, RECORDS, ACCOUNTS].flatMap((part) => Object.keys(part))
  expect(parts.toSorted()).toEqual(names.toSorted())
})

it('each refusal says in one line what to do next, and the address of its entry', async () => {
  for (const error of names) {
    const { status, text } = ERRORS[error]
    const failure = await failureOf(new ServiceError({ status, error, message: text }), 'https://docs.example')
    expect(failure.code).toBe(error)
    // Without the marks of a link.
    expect(failure.next, error).toMatch(/^[^\n\][]{5,}$/)
    expect(failure.next, error).not.toContain('/developer/')
    if (error !== 'rate_limited') expect(failure.next, error).toBe(nextStepOf(error))
    expect(failure.page, error).toMatch(/^https:\/\/docs\.example\/developer\/errors#[\w-]+$/)
  }
})

it('names commands that exist', () => {
  const paths = GROUPS.flatMap(({ commands }) => commands).map(({ path }) => path)
  for (const [error, step] of Object.entries(COMMANDS))
    for (const [, typed = ''] of step.matchAll(/\bsvc ([a-z]+(?: [a-z]+)?)/g))
      expect(
        paths.some((path) => typed === path || typed.split(' ')[0] === path),
        `${error}: ${typed}`,
      ).toBe(true)
})

it('has nothing for a name that no service answers', () => {
  expect(nextStepOf('unknown')).toBeNull()
  expect(nextStepOf('constructor')).toBeNull()
})
