/** What is pinned, and how other keys replace it: by their whole fingerprint alone. */
import { listFingerprint } from '@svc/client/functions'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { newLogKey } from './evidence-files.ts'
import { DISCOVERY, emptyLogList, NOW, REALM } from './rotation/deployment.ts'
import { type Machine, newMachine } from './svc.ts'

const LIST_URL = 'https://keys.example/api/transparency/logs'
const [key, otherKey, witness] = [newLogKey(), newLogKey(), newLogKey()]
const witnesses = {
  threshold: 1,
  keys: [{ publicKeyB64u: witness.publicKeyB64u, alg: 'ml-dsa-65', validFrom: NOW, validUntil: null }],
}
/** Two deployments at one address: the second one begins anew, with other keys. */
const [first, anew] = [emptyLogList(key, { witnesses }), emptyLogList(otherKey)]
const [FIRST, OTHER] = [first, anew].map(({ statement }) => listFingerprint(statement.keys)) as [string, string]

let shown = first
const machines: Machine[] = []
afterAll(() => {
  for (const machine of machines) machine.remove()
})

function started() {
  const machine = newMachine({
    now: () => NOW + 1,
    fetch: async (url) => {
      const { pathname } = new URL(url)
      if (url.startsWith(LIST_URL) || pathname === '/api/logs')
        return Response.json({ success: true, data: { list: shown, earlier: [] }, timestamp: NOW })
      const logs = { listUrl: LIST_URL, keys: shown.statement.keys }
      return Response.json({ ...DISCOVERY, logs })
    },
  })
  machines.push(machine)
  return machine
}
const told = async (machine: Machine, words: readonly string[]) => {
  const { code, stdout, stderr } = await machine.svc([...words, '--json'])
  return { code, reason: code === 0 ? null : stderr, ...(JSON.parse(stdout || '{}') as object) }
}
const init = ['init', '--core', REALM]

beforeEach(() => {
  shown = first
})

describe('svc init', () => {
  it('pins keys with the fingerprint that was passed, and no others', async () => {
    const machine = started()
    const refused = await told(machine, [...init, '--fingerprint', OTHER])
    expect(refused.code).toBe(3)
    expect(refused.reason).toContain('wrong_fingerprint')
    expect((await told(machine, ['trust'])).code).not.toBe(0)
    expect((await told(machine, [...init, '--fingerprint', FIRST.replaceAll(' ', '')])).code).toBe(0)
    expect(await told(machine, ['trust'])).toMatchObject({ fingerprint: FIRST, isCompared: true })
  })

  it('pins without one what is seen first, and says that nobody compared it', async () => {
    const machine = started()
    await machine.svc(init)
    expect(await told(machine, ['trust'])).toMatchObject({ fingerprint: FIRST, isCompared: false, threshold: 1 })
    const { stdout } = await machine.svc('trust')
    expect(stdout).toContain(`fingerprint  ${FIRST}`)
    expect(stdout).toContain('compared     no')
  })
})

describe('svc trust', () => {
  it('shows the witnesses that the list proposes, and trusts none of them', async () => {
    const machine = started()
    await machine.svc(init)
    const { proposedWitnesses } = (await told(machine, ['trust'])) as unknown as { proposedWitnesses: typeof witnesses }
    expect(proposedWitnesses.threshold).toBe(1)
    expect(proposedWitnesses.keys.map(({ publicKeyB64u }) => publicKeyB64u)).toEqual([witness.publicKeyB64u])
  })

  it('demands the witnesses that the person names, or takes over from the list, until told otherwise', async () => {
    const machine = started()
    await machine.svc(init)
    expect(await told(machine, ['trust'])).toMatchObject({ witnesses: null })
    const policy = { threshold: 1, publicKeysB64u: [witness.publicKeyB64u] }
    expect(await told(machine, ['trust', '--proposed'])).toMatchObject({ witnesses: policy })
    const other = newLogKey().publicKeyB64u
    const named = ['trust', '--threshold', '2', '--witness', witness.publicKeyB64u, other]
    const two = { threshold: 2, publicKeysB64u: [witness.publicKeyB64u, other] }
    expect(await told(machine, named)).toMatchObject({ witnesses: two })
    expect(await told(machine, ['trust'])).toMatchObject({ witnesses: two })
    for (const wrong of [
      ['--proposed', '--threshold', '2'],
      ['--threshold', '1'],
      ['--witness', 'short'],
    ])
      expect((await told(machine, ['trust', ...wrong])).code, wrong.join(' ')).toBe(2)
    expect(await told(machine, ['trust', '--no-witnesses'])).toMatchObject({ witnesses: null })
    expect(await told(machine, ['trust'])).toMatchObject({ witnesses: null })
  })

  it('remembers that the pinned keys were compared', async () => {
    const machine = started()
    await machine.svc(init)
    expect(await told(machine, ['trust', '--fingerprint', FIRST.toUpperCase()])).toMatchObject({ isCompared: true })
  })

  it('refuses other keys without their fingerprint, and with half of it', async () => {
    const machine = started()
    await machine.svc(init)
    shown = anew
    for (const words of [init, ['trust', '--fingerprint', OTHER.slice(0, 19)], ['trust', '--fingerprint', FIRST]])
      expect((await told(machine, words)).code, words.join(' ')).toBe(3)
    expect(await told(machine, ['trust'])).toMatchObject({ fingerprint: FIRST, isCompared: false })
  })

  it('replaces the pin by the whole fingerprint of other keys, after a question', async () => {
    const machine = started()
    await machine.svc(init)
    shown = anew
    expect((await told(machine, ['trust', '--fingerprint', OTHER])).code).not.toBe(0)
    expect(await told(machine, ['trust'])).toMatchObject({ fingerprint: FIRST })
    expect(await told(machine, ['trust', '--fingerprint', OTHER, '--yes'])).toMatchObject({ fingerprint: OTHER })
    expect(await told(machine, ['trust'])).toMatchObject({ fingerprint: OTHER, isCompared: true })
    expect((await told(machine, init)).code).toBe(0)
  })
})
