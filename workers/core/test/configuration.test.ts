import { env } from 'cloudflare:workers'
import { readConfig } from '@svc/service'
import { describe, expect, it } from 'vitest'
import { configSchema, rotationTimesOf } from '../src/env.ts'

const DAY_SECONDS = 86_400
const DEPLOYED = {
  ...env,
  ENVIRONMENT: 'production',
  ROTATION_WINDOW_SECONDS: DAY_SECONDS,
  ROTATION_CONTEST_SECONDS: 7 * DAY_SECONDS,
  ROTATION_STANDING_SECONDS: 30 * DAY_SECONDS,
}
const timesIn = (members: object) => rotationTimesOf(readConfig(configSchema, { ...DEPLOYED, ...members }))

describe('the times of rotation', () => {
  it('are a day, 7 days and 30 days', () => {
    const dayMs = DAY_SECONDS * 1000
    expect(timesIn({})).toEqual({ windowMs: dayMs, contestMs: 7 * dayMs, standingMs: 30 * dayMs })
  })

  it.each([
    ['a window below a day', { ROTATION_WINDOW_SECONDS: DAY_SECONDS - 1 }, 'ROTATION_WINDOW_SECONDS'],
    ['a window as long as a contest', { ROTATION_WINDOW_SECONDS: 7 * DAY_SECONDS }, 'ROTATION_CONTEST_SECONDS'],
    ['a shorter contest', { ROTATION_CONTEST_SECONDS: 7 * DAY_SECONDS - 1 }, 'ROTATION_CONTEST_SECONDS'],
    ['a longer contest', { ROTATION_CONTEST_SECONDS: 8 * DAY_SECONDS }, 'ROTATION_CONTEST_SECONDS'],
    ['a shorter standing', { ROTATION_STANDING_SECONDS: 30 * DAY_SECONDS - 1 }, 'ROTATION_STANDING_SECONDS'],
    ['a longer standing', { ROTATION_STANDING_SECONDS: 31 * DAY_SECONDS }, 'ROTATION_STANDING_SECONDS'],
  ])('are refused outside local development: %s', (_, members, variable) => {
    for (const environment of ['production', 'staging']) {
      expect(() => timesIn({ ...members, ENVIRONMENT: environment })).toThrow(variable)
    }
  })

  it('may be seconds in local development, in the same order', () => {
    const seconds = { ROTATION_WINDOW_SECONDS: 3, ROTATION_CONTEST_SECONDS: 6, ROTATION_STANDING_SECONDS: 60 }
    expect(timesIn({ ENVIRONMENT: 'local', ...seconds })).toEqual({
      windowMs: 3_000,
      contestMs: 6_000,
      standingMs: 60_000,
    })
    for (const members of [{ ROTATION_CONTEST_SECONDS: 3 }, { ROTATION_STANDING_SECONDS: 6 }]) {
      expect(() => timesIn({ ENVIRONMENT: 'local', ...seconds, ...members })).toThrow('ROTATION_CONTEST_SECONDS')
    }
  })
})
