import { err, ok } from '@svc/protocol/base/result'
import { describe, expect, it } from 'vitest'
import { metered, type Quota, type QuotaRefusal } from './rules.ts'

const UNIT = { did: `did:svc:${'PDw8'.repeat(8)}`, key: 'k' }
const REFUSAL: QuotaRefusal = { reason: 'unavailable', detail: 'pay did not answer' }

/** What a registration does with its unit, in order, and what comes of it. */
async function run(failing: { readonly [step: string]: 'refused' | 'thrown' }) {
  const done: string[] = []
  const step = async (name: string, refusal: unknown) => {
    done.push(name)
    if (failing[name] === 'thrown') throw new Error(`${name} failed`)
    return failing[name] ? err(refusal) : ok(undefined)
  }
  const call = (name: string) => (did: string, key: string) => {
    expect([did, key]).toEqual([UNIT.did, UNIT.key])
    return step(name, REFUSAL)
  }
  const quota = { reserve: call('reserve'), finalize: call('finalize'), release: call('release') } as unknown as Quota
  const outcome = await metered(quota, UNIT, {
    prepare: () => step('prepare', 'not prepared') as never,
    complete: async () => {
      const completed = await step('complete', 'not completed')
      return completed.ok ? ok('registered') : completed
    },
  }).catch((error: Error) => error.message)
  return { done, outcome }
}

describe('a metered registration', () => {
  it('holds its unit first, and counts it before it is visible', async () => {
    expect(await run({})).toEqual({
      done: ['reserve', 'prepare', 'finalize', 'complete'],
      outcome: ok('registered'),
    })
  })

  it('writes nothing without a unit', async () => {
    expect(await run({ reserve: 'refused' })).toEqual({ done: ['reserve'], outcome: err(REFUSAL) })
  })

  it('gives its unit back if it was not written or not counted', async () => {
    expect(await run({ prepare: 'refused' })).toEqual({
      done: ['reserve', 'prepare', 'release'],
      outcome: err('not prepared'),
    })
    expect(await run({ prepare: 'thrown' })).toEqual({
      done: ['reserve', 'prepare', 'release'],
      outcome: 'prepare failed',
    })
    expect(await run({ finalize: 'refused' })).toEqual({
      done: ['reserve', 'prepare', 'finalize', 'release'],
      outcome: err(REFUSAL),
    })
    expect((await run({ finalize: 'thrown' })).done).toEqual(['reserve', 'prepare', 'finalize', 'release'])
  })

  it('keeps its unit, for a retry, once it has counted', async () => {
    const done = ['reserve', 'prepare', 'finalize', 'complete']
    expect(await run({ complete: 'refused' })).toEqual({ done, outcome: err('not completed') })
    expect(await run({ complete: 'thrown' })).toEqual({ done, outcome: 'complete failed' })
  })
})
