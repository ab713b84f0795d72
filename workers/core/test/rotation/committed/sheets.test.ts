/** An identity that is created with sheets of words, and what its owner gets back with them. */
import type { ClientOptions } from '@svc/client'
import { commitmentOf, recordedSheet, recoveryByWords, renewRecovery, SuccessorSheet } from '@svc/client/recovery-words'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { at, DAY_MS } from '../rotation.fixture.ts'
import { created, lender, newDevice, stranger } from './sheets.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('an identity that is created with sheets', () => {
  it('commits to the keys of its words, which are the same again from the words', async () => {
    const { identity, client, successor, words } = await created()
    const { did, scope } = identity
    const again = words.map((text) => SuccessorSheet.fromWords(text))
    const commitment = await commitmentOf(again, { scope, epoch: 1 })
    expect(await client.chain.root(did)).toMatchObject({ commitment })
    expect((await again[0]?.successor({ scope, epoch: 1 }))?.publicKeyB64u).toBe(successor.publicKeyB64u)
    const other = await commitmentOf(again, { scope, epoch: 2 })
    expect(other.next.some((hash) => commitment.next.includes(hash))).toBe(false)
  })

  it('is recovered with words and file after a day, by nobody’s device, and again in the next epoch', async () => {
    const { identity, kept, words } = await created()
    const { did, scope } = identity
    const [sheet, spare] = words.map((text) => SuccessorSheet.fromWords(text))
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
    const { identity, device, papers: sheets } = await created()
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

const REALM = 'https://core.test'

it('an identity that is created with replaceable: false forbids replacing its sheets in every epoch', async () => {
  const options = { device: await newDevice(), sheets: [SuccessorSheet.create()], replaceable: false, keep: () => null }
  const { identity, kept, successor } = await stranger().createIdentity(options)
  at(Date.now())
  const helper = stranger({ identity: await lender() })
  expect(await helper.chain.root(identity.did)).toMatchObject({ commitment: { replaceable: false } })
  await helper.recovery(kept).recover({ successor })
  at(Date.now() + DAY_MS)
  await helper.recovery(kept).recover({ successor })
  expect(await helper.chain.root(identity.did)).toMatchObject({ epoch: 1, commitment: { replaceable: false } })
})

describe('an owner with two sheets and a recovery file', () => {
  it('recovers with the second sheet too, and never starts a recovery that would end their own', async () => {
    const { identity, kept, words } = await created()
    const { scope } = identity
    const [first, second] = words.map((text) => SuccessorSheet.fromWords(text))
    at(Date.now())
    const helper = stranger({ identity: await lender() })
    const successor = await second!.successor({ scope, epoch: 1 })
    expect(await helper.recovery(kept).recover({ successor })).toMatchObject({ acts: ['start'] })
    const rival = await first!.successor({ scope, epoch: 1 })
    await expect(helper.recovery(kept).recover({ successor: rival })).rejects.toMatchObject({ option: 'dispute' })
    at(Date.now() + DAY_MS)
    expect(await helper.recovery(kept).recover({ successor })).toMatchObject({ status: { stage: 'done' } })
  })

  it('needs no operator because its device is too new to co-sign, or was revoked', async () => {
    for (const isRevoked of [false, true]) {
      const { identity, kept, words, device, client } = await created()
      if (isRevoked) await client.devices.revoke(device.deviceId)
      const successor = await SuccessorSheet.fromWords(words[0]!).successor({ scope: identity.scope, epoch: 1 })
      const helper = stranger({ identity: await lender() })
      const { acts, needs, status } = await helper.recovery(kept).recover({ successor, device })
      expect({ acts, needs, stage: status.stage }).toEqual({ acts: ['start'], needs: null, stage: 'waiting' })
      expect(status.rotation).toMatchObject({ basis: 'full', cosignatures: 0 })
    }
  })

  it('needs another device to replace lost sheets while this one is too new', async () => {
    const { identity, device } = await created()
    const fresh = [SuccessorSheet.create(), SuccessorSheet.create()]
    const successor = await fresh[0]!.successor({ scope: identity.scope, epoch: 1 })
    const request = await renewRecovery(identity, { realm: REALM, sheets: fresh })
    const helper = stranger({ identity: await lender() })
    const { acts, needs, request: asked } = await helper.recovery(request).recover({ successor, device })
    expect({ acts, needs, asked }).toEqual({ acts: [], needs: 'device', asked: null })
  })

  it('sends nothing with the file alone', async () => {
    const { kept } = await created()
    const helper = stranger({ identity: await lender() })
    await expect(helper.recovery(kept).start()).rejects.toMatchObject({ option: 'kept' })
    await expect(helper.recovery(kept).forOperator()).rejects.toMatchObject({ option: 'kept' })
  })

  it('renews the file after a rotation without the words of either sheet', async () => {
    const { identity, kept, words, sheets: records } = await created()
    const { scope } = identity
    const sheet = SuccessorSheet.fromWords(words[0]!)
    at(Date.now())
    const helper = stranger({ identity: await lender() })
    const root = await sheet.successor({ scope, epoch: 1 })
    await helper.recovery(kept).recover({ successor: root })
    at(Date.now() + DAY_MS)
    await helper.recovery(kept).recover({ successor: root })
    const renewed = await renewRecovery(root, { realm: REALM, sheets: records.map(recordedSheet) })
    expect(await helper.recovery(kept).status()).toMatchObject({ stage: 'done' })
    const successor = await SuccessorSheet.fromWords(words[1]!).successor({ scope, epoch: 2 })
    expect(await helper.recovery(renewed).recover({ successor })).toMatchObject({ acts: ['start'] })
  })

  it('opens earlier notes with the words after the root key and all devices are lost', async () => {
    const { identity, kept, words, sheets } = await created()
    const { scope } = identity
    at(Date.now())
    const { noteId } = await stranger({ identity, sheets }).notes.put({ body: 'before the theft' })
    const sheet = SuccessorSheet.fromWords(words[1]!)
    const root = await sheet.successor({ scope, epoch: 1 })
    const helper = stranger({ identity: await lender() })
    await helper.recovery(kept).recover({ successor: root })
    at(Date.now() + DAY_MS)
    await helper.recovery(kept).recover({ successor: root })
    const read = (more: Partial<ClientOptions>) =>
      stranger({ identity: root, ...more }).notes.get(noteId, undefined, { acceptEnded: true })
    await expect(read({})).rejects.toMatchObject({ name: 'VerificationError' })
    expect(await read({ sheetReaders: [await sheet.reader(scope)] })).toMatchObject({ body: 'before the theft' })
    const other = await SuccessorSheet.fromWords(words[0]!).reader(scope)
    expect(await read({ sheetReaders: [other] })).toMatchObject({ body: 'before the theft' })
  })

  it('recovers with words alone after 30 days, unless the root key ends it', async () => {
    const { identity, words, client } = await created()
    const { scope, did } = identity
    at(Date.now())
    const sheet = SuccessorSheet.fromWords(words[1]!)
    const successor = await sheet.successor({ scope, epoch: 1 })
    const helper = stranger({ identity: await lender() })
    const first = await recoveryByWords(successor, { realm: REALM, now: Date.now(), sheets: [sheet] })
    const opened = await helper.recovery(first).recover({ successor })
    expect(opened).toMatchObject({ acts: ['start'], status: { stage: 'opened', next: { act: 'finish' } } })
    expect(opened.status.next.at).toBe(Date.now() + 30 * DAY_MS)
    await client.rotation.freeze(opened.status.rotation?.rotationId ?? '')
    expect(await helper.recovery(first).status()).toMatchObject({ stage: 'stopped' })
    const second = await recoveryByWords(successor, { realm: REALM, now: Date.now(), sheets: [sheet] })
    await helper.recovery(second).recover({ successor })
    at(Date.now() + 30 * DAY_MS)
    const again = stranger({ identity: await lender() })
    expect(await again.recovery(second).recover({ successor })).toMatchObject({ status: { stage: 'done' } })
    expect((await again.chain.root(did)).epoch).toBe(1)
  })

  it('replaces a lost sheet with the key of the other one in a day', async () => {
    const { identity, words, sheets } = await created()
    const { scope, did } = identity
    at(Date.now())
    const left = SuccessorSheet.fromWords(words[0]!)
    const following = [left, SuccessorSheet.create()]
    const successor = await left.successor({ scope, epoch: 1 })
    const request = await renewRecovery(identity, { realm: REALM, now: Date.now(), sheets: [left], following })
    const helper = stranger({ identity: await lender() })
    await helper.recovery(request).recover({ successor })
    at(Date.now() + DAY_MS)
    await helper.recovery(request).recover({ successor })
    const { commitment } = await helper.chain.root(did)
    expect(commitment).toEqual(await commitmentOf(following, { scope, epoch: 2 }))
    expect(commitment).not.toEqual(await commitmentOf(sheets.map(recordedSheet), { scope, epoch: 2 }))
  })

  it('replaces two lost sheets with root key and device in 30 days', async () => {
    const { identity, device } = await created()
    const { scope } = identity
    at(Date.now() + DAY_MS)
    const fresh = [SuccessorSheet.create(), SuccessorSheet.create()]
    const successor = await fresh[0]!.successor({ scope, epoch: 1 })
    const request = await renewRecovery(identity, { realm: REALM, now: Date.now(), sheets: fresh })
    const helper = stranger({ identity: await lender() })
    const opened = await helper.recovery(request).recover({ successor, device })
    expect(opened).toMatchObject({ acts: ['start'], status: { stage: 'opened', rotation: { basis: 'replacement' } } })
    expect(opened.status.next.at).toBe(Date.now() + 30 * DAY_MS)
  })
})
