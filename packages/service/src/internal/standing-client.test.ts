import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { StandingClient } from './standing-client.ts'

afterEach(() => vi.restoreAllMocks())

const DID = `did:svc:${'A'.repeat(32)}`
const STANDING = { tier: 'atelier', source: 'code', from: 1, until: 2, planUntil: null }
const CODE = { codeHash: '0'.repeat(96), tier: 'provenance', days: 90, redeemableUntil: 5 } as const
const answering = (answer: () => Promise<unknown>) =>
  new StandingClient({ standing: answer, redeem: answer, issue: answer })

describe('what pay says of an identity', () => {
  it('is passed on as it is, each time anew', async () => {
    const answer = vi.fn(async (): Promise<unknown> => STANDING)
    const client = answering(answer)
    expect(await client.standing(DID)).toEqual(STANDING)
    answer.mockResolvedValue({ ...STANDING, tier: 'notes', source: 'signup', from: null, until: null })
    expect(await client.standing(DID)).toMatchObject({ tier: 'notes' })
    expect(answer).toHaveBeenCalledTimes(2)
  })

  it('is null for a code that cannot be redeemed, and never for a standing', async () => {
    const client = answering(async () => null)
    expect(await client.redeem(DID, '0'.repeat(96))).toBe(null)
    await expect(client.standing(DID)).rejects.toThrow(DependencyFault)
  })

  it('is that a code stands, and nothing else counts as that', async () => {
    await expect(answering(async () => true).issue(CODE)).resolves.toBeUndefined()
    await expect(answering(async () => false).issue(CODE)).rejects.toThrow('pay is unavailable')
  })

  it.each<[string, () => Promise<unknown>]>([
    ['throws', () => Promise.reject(new Error('gone'))],
    ['answers nothing', async () => undefined],
    ['leaves a member out', async () => ({ ...STANDING, until: undefined })],
    ['names a source that there is not', async () => ({ ...STANDING, source: 'gift' })],
    ['says more than is asked', async () => ({ ...STANDING, licensed: true })],
  ])('is a fault where pay %s', async (_, answer) => {
    const client = answering(answer)
    await expect(client.standing(DID)).rejects.toThrow('pay is unavailable')
    await expect(client.redeem(DID, '0'.repeat(96))).rejects.toThrow('pay is unavailable')
    await expect(client.issue(CODE)).rejects.toThrow('pay is unavailable')
  })

  it('is a fault without a binding, and where it does not come in time', async () => {
    await expect(new StandingClient(undefined).standing(DID)).rejects.toThrow('pay is unavailable')
    const late = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal)
    const asked = answering(() => new Promise(() => {})).standing(DID)
    late.abort(new Error('too late'))
    await expect(asked).rejects.toThrow('pay is unavailable')
    expect(timeout).toHaveBeenCalledWith(5_000)
  })
})
