/** An identity that is created with sheets of words, and what its owner gets back with them. */
import { Client, type ClientOptions, Device } from '@svc/client'
import { commitmentOf, SuccessorSheet, seedOf, wordsOf } from '@svc/client/recovery-words'
import { byHost, fetchOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { send } from '../../harness.ts'
import { at, DAY_MS } from '../rotation.fixture.ts'
import { sends } from './committed.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

let strangers = 0
/** A client at an address of its own. The resolver passes its requests on, as the DID Worker does. */
function stranger(options: Partial<ClientOptions> = {}): Client {
  strangers += 1
  const headers = { 'cf-connecting-ip': `2001:db8:fffe:${strangers}::1` }
  const resolver = async (request: Request): Promise<Response> => {
    const signed = JSON.parse(await request.text())
    const { status, body } = await sends({ bob: { identity: { did: signed.statement.did } } as never }, signed)
    return Response.json(body, { status })
  }
  const fetch = fetchOf(byHost({ core: send, did: resolver }))
  return new Client({ core: 'https://core.test', did: 'https://did.test', fetch, headers, retries: false, ...options })
}

const newDevice = () => Device.create({ origin: 'app:phone', capabilities: ['rotation:cosign'] })

/** An identity with two sheets, and what was kept of it. */
async function created(sheets = [SuccessorSheet.create(), SuccessorSheet.create()]) {
  const made = await stranger().createIdentity({ device: await newDevice(), sheets, keep: () => null })
  return { ...made, sheets, words: sheets.map((sheet) => wordsOf(sheet.revealSecret())) }
}

describe('an identity that is created with sheets', () => {
  it('commits to the keys of its words, which are the same again from the words', async () => {
    const { identity, client, successor, words } = await created()
    const { did, scope } = identity
    const again = words.map((text) => SuccessorSheet.fromSecret(seedOf(text)))
    const commitment = await commitmentOf(again, { scope, epoch: 1 })
    expect(await client.chain.root(did)).toMatchObject({ commitment })
    expect((await again[0]?.successor({ scope, epoch: 1 }))?.publicKeyB64u).toBe(successor.publicKeyB64u)
    const other = await commitmentOf(again, { scope, epoch: 2 })
    expect(other.next.some((hash) => commitment.next.includes(hash))).toBe(false)
  })

  it('is recovered with words and file after a day, by nobody’s device, and again in the next epoch', async () => {
    const { identity, kept, words } = await created()
    const { did, scope } = identity
    const [sheet, spare] = words.map((text) => SuccessorSheet.fromSecret(seedOf(text)))
    if (!sheet || !spare) throw new Error('no sheets')
    const now = Date.now()
    at(now)
    const recover = async (file: typeof kept, epoch: number) => {
      const successor = await sheet.successor({ scope, epoch })
      const helper = stranger({ identity: await lender() })
      const opened = await helper.recovery(file).recover({ successor })
      expect(opened).toMatchObject({ acts: ['start'], needs: null, status: { stage: 'waiting', isCommitted: true } })
      at(Date.now() + DAY_MS)
      const ended = await helper.recovery(file).recover({ successor })
      expect(ended).toMatchObject({ acts: ['finish'], status: { stage: 'done' } })
      return successor
    }
    const first = await recover(kept, 1)
    const root = await stranger({ identity: first }).chain.root(did)
    expect(root).toMatchObject({ epoch: 1, commitment: await commitmentOf([sheet, spare], { scope, epoch: 2 }) })
    const { kept: renewed } = await first.prepareRecovery({ realm: 'https://core.test', sheets: [sheet, spare] })
    await recover(renewed, 2)
    expect(await stranger({ identity: first }).keyHistory.of(did)).toHaveLength(3)
  })

  it('is finished by a second call with the same sheets, and refuses others', async () => {
    const { identity, device, sheets } = await created()
    const again = { identity, device, keep: () => null }
    await expect(stranger().createIdentity({ ...again, sheets })).resolves.toMatchObject({ identity })
    for (const wrong of [[SuccessorSheet.create()], []]) {
      await expect(stranger().createIdentity({ ...again, sheets: wrong })).rejects.toMatchObject({
        name: 'ConfigurationError',
        option: 'sheets',
      })
    }
  })
})

/** An identity that lends its assertions. */
async function lender() {
  const { identity } = await stranger().createIdentity({ device: await newDevice(), keep: () => null })
  return identity
}
