/** The table of lies: each method that verifies, each lie that it finds, and how it says so. */
import { describe, expect, it } from 'vitest'
import { VerificationError } from '../../src/verification/verification-error.ts'
import { verifyingNames } from './names.ts'
import { ask, clientIn } from './situation.ts'
import { LIES } from './table.ts'

const titled = LIES.map((method) => ({ ...method, title: [method.name, method.given].join(' ').trim() }))

describe.each(titled)('$title', ({ name, honest, lies }) => {
  it('takes the truth, and its twin the same', async () => {
    const situation = await honest()
    const found = await ask(name, situation, clientIn(situation))
    const safe = await ask(name, situation, clientIn(situation), true)
    expect(JSON.stringify(safe)).toBe(JSON.stringify({ ok: true, value: found }))
  })

  it('takes the truth again, from a service that it has seen', async () => {
    const situation = await honest()
    const client = clientIn(situation)
    await (situation.see?.(client) ?? ask(name, situation, client))
    await expect(ask(name, situation, client)).resolves.not.toThrow()
  })

  it.each(lies)('finds that a service $lie', async ({ tell, afterTruth, subject, reason, where = {} }) => {
    const situation = await honest()
    const client = clientIn(situation)
    if (afterTruth) await (situation.see?.(client) ?? ask(name, situation, client))
    await tell(situation)
    const error: unknown = await ask(name, situation, client).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(VerificationError)
    expect(error).toMatchObject({ subject, reason })
    expect((error as VerificationError).where).toEqual(where)
    expect(await ask(name, situation, client, true)).toMatchObject({ ok: false, error: { subject, reason, where } })
  })
})

describe('the table of lies', () => {
  it('has every public method that verifies: those with a twin', async () => {
    const names = [...new Set(LIES.map(({ name }) => name))]
    expect(names.toSorted()).toEqual((await verifyingNames()).toSorted())
  })

  it('has a lie for each, and says each once', () => {
    expect(new Set(titled.map(({ title }) => title)).size).toBe(titled.length)
    for (const { title, lies } of titled) {
      expect(lies.length, title).toBeGreaterThan(0)
      expect(new Set(lies.map(({ lie }) => lie)).size, title).toBe(lies.length)
    }
  })
})
