/** Checks the vectors of `forms.json` with this package. */
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../../src/base/base64url.ts'
import { signedDeviceAcceptanceSchema } from '../../src/base/device.ts'
import { fromHex, toHex } from '../../src/base/hash.ts'
import { signedKeyAgreementSchema } from '../../src/base/key-agreement.ts'
import { statementHash, verifyStatement } from '../../src/base/statement.ts'
import { commitmentHash, NO_COMMITMENT, successorHash } from '../../src/chain/commitment.ts'
import { rootKeyEvidenceSchema, rotationIdOf, signedRotationRequestSchema } from '../../src/chain/rotation.ts'
import { verifyKeyHistory } from '../../src/chain/rotation-verification.ts'
import { isWatchToken, watchTokenHash } from '../../src/chain/watch.ts'
import { consentBucketOf } from '../../src/consent/buckets.ts'
import { creatorHash, identifierHash } from '../../src/consent/identifiers.ts'
import { signedDeviceAgreementSchema, verifyAgreement } from '../../src/devices/agreement.ts'
import { invitationText, readInvitation } from '../../src/devices/invitation.ts'
import { OfferKeys } from '../../src/devices/offer-keys.ts'
import { signedEventPageSchema } from '../../src/events/events.ts'
import { pageFault, placeAfter } from '../../src/events/page-fault.ts'
import { provedLabel } from '../../src/keys/account-labels.ts'
import { mapAccountOf, mapLeafBytes, mapLeafHash, valueOnPath } from '../../src/keys/account-map.ts'
import { agreedIn, updateEntryOf, updateLine } from '../../src/keys/account-updates.ts'
import { labelProver } from '../../src/keys/label-prover.ts'
import { AccountMap } from '../../src/keys/map-in-memory.ts'
import { contactPassSchema, contactTag } from '../../src/keys/reserving.ts'
import { anchorAttestationsHash, anchorBodyHash, anchorEntry } from '../../src/ledger/anchor-log.ts'
import { verifyPublication } from '../../src/ledger/anchor-publications.ts'
import { anchorRecordSchema, signedPublicationSchema } from '../../src/ledger/anchors.ts'
import { blindRoot, rootOfFile } from '../../src/ledger/blind-root.ts'
import { anchorBundleSchema } from '../../src/ledger/bundle/anchor-bundle.ts'
import { verifyBundle } from '../../src/ledger/bundle/verify-bundle.ts'
import { seenBy } from '../../src/ledger/cosigned/seen-by.ts'
import {
  leafIdOfLine,
  signedWithheldSchema,
  verifyWithheld,
  withheldLine,
  withheldOfLine,
} from '../../src/ledger/withheld.ts'
import { entryHash } from '../../src/merkle/entries.ts'
import { isListFingerprint, listFingerprint } from '../../src/merkle/list-fingerprint.ts'
import { listHash, signedLogListSchema } from '../../src/merkle/log-list.ts'
import { verifyNextList, verifyPinnedList } from '../../src/merkle/log-list-chain.ts'
import { dekWrapPurpose, noteKeyHash } from '../../src/notes/data-key.ts'
import vectors from './forms.json' with { type: 'json' }

describe('the vectors', () => {
  it('have the commitments and hashes of this package', () => {
    for (const { publicKeyB64u, successorHash: hash } of vectors.successors) {
      expect(successorHash(publicKeyB64u)).toBe(hash)
    }
    expect(commitmentHash(vectors.genesis.commitment)).toBe(vectors.genesis.metadataHash)
    expect(commitmentHash(NO_COMMITMENT)).toBe(vectors.genesis.metadataHashOfNone)
  })

  it('have a request and a key history that it verifies', async () => {
    const { statement } = signedRotationRequestSchema.parse(vectors.rotationRequest.signed)
    expect(rotationIdOf(statement)).toBe(vectors.rotationRequest.rotationId)
    const evidence = vectors.keyHistory.keys.map((key) => rootKeyEvidenceSchema.parse(key))
    const keys = await verifyKeyHistory(evidence, vectors.did, [vectors.realm])
    expect(keys.ok && keys.value.map(({ commitment }) => commitment?.next.length)).toEqual([2, 1, 0])
  })

  it('have the blind root of a file', () => {
    const { hash, nonceB64u, root } = vectors.blindRoot
    expect(blindRoot(nonceB64u, hash)).toBe(root)
    expect(rootOfFile(hash, nonceB64u)).toBe(root)
    expect(rootOfFile(hash, null)).toBe(hash)
  })

  it('have the map of two accounts, one with a key agreement', () => {
    const { lines, accounts, leafHashes, root } = vectors.accountMap
    const updates = lines.flatMap((line) => updateEntryOf(line) ?? [])
    expect(updates.map(updateLine)).toEqual(lines)
    const map = new AccountMap()
    map.count(updates)
    expect(map.root).toBe(root)
    for (const [i, account] of accounts.entries()) {
      const { label, ...value } = account
      expect(valueOnPath(label, map.path(label), root)).toEqual(value)
      expect(toHex(mapLeafHash(mapLeafBytes(account)))).toBe(leafHashes[i])
      expect(mapAccountOf(mapLeafBytes(account))).toEqual(account)
    }
    const agreed = signedKeyAgreementSchema.parse(vectors.keyAgreement.signed)
    expect(agreedIn(agreed.statement)).toEqual({ agreedAt: agreed.statement.issuedAt })
    expect(accounts[0]?.agreement?.hash).toBe(statementHash(agreed.statement))
  })

  it('have the keys and proofs of an invitation', () => {
    const { code, secret, text, origin } = vectors.invitation
    const acceptance = signedDeviceAcceptanceSchema.parse(vectors.invitation.acceptance)
    const keys = new OfferKeys(secret)
    const joining = { code, rootPublicKeyB64u: origin.rootPublicKeyB64u, acceptance }
    expect(invitationText({ code, secret })).toBe(text)
    expect(readInvitation(text)).toEqual({ ok: true, value: { code, secret } })
    expect([keys.token, keys.tokenHash]).toEqual([vectors.invitation.tokenB64u, vectors.invitation.tokenHash])
    expect(toHex(keys.sealKey)).toBe(vectors.invitation.sealKeyHex)
    expect(keys.offerProof(origin)).toBe(vectors.invitation.offerProofB64u)
    expect(keys.joinProof(joining)).toBe(vectors.invitation.joinProofB64u)
    expect(keys.confirmationCode(joining)).toBe(vectors.invitation.confirmationCode)
  })

  it('have what stands for identifiers and creators of consent', () => {
    const { creatorDid, records } = vectors.consent
    for (const { contentHash, ...expected } of records) {
      const found = { identifierHash: identifierHash(contentHash), bucket: consentBucketOf(contentHash) }
      expect({ ...found, creatorHash: creatorHash(contentHash, creatorDid) }).toEqual(expected)
    }
  })

  it('have the tag of a contact', () => {
    const { accountDid, requesterDid, passB64u, tag } = vectors.contactTag
    expect(contactPassSchema.parse(passB64u)).toBe(passB64u)
    expect(contactTag(accountDid, requesterDid, passB64u)).toBe(tag)
  })

  it('have the key hash and the context of a note', () => {
    const { realm, did, noteId, kemPublicKeyB64u, x25519B64u, dataKeyHex, keyHash, context } = vectors.note
    expect(noteKeyHash(fromHex(dataKeyHex))).toBe(keyHash)
    const { info } = dekWrapPurpose({ realm, did, noteId }, { kemPublicKeyB64u, x25519B64u })
    expect(new TextDecoder().decode(info)).toBe(context)
  })

  it('have the label of an account, and its proof', async () => {
    const { seedHex, labelKeyB64u, namespace, label, labelProofB64u } = vectors.accountLabel
    const prover = labelProver(fromHex(seedHex), namespace)
    expect(prover.publicKeyB64u).toBe(labelKeyB64u)
    expect(prover.prove(vectors.did)).toEqual({ label, labelProofB64u })
    expect(await provedLabel(vectors.did, labelProofB64u, { namespace, labelKeyB64u })).toBe(label)
  })

  it('have an agreement and a key agreement that it verifies', async () => {
    const { devicePublicKeyB64u, signed } = vectors.deviceAgreement
    const agreement = signedDeviceAgreementSchema.parse(signed)
    expect(await verifyAgreement({ agreement }, devicePublicKeyB64u, [vectors.realm])).toBe(true)
    const stated = signedKeyAgreementSchema.parse(vectors.keyAgreement.signed)
    const rootKey = bytesOf(vectors.keyAgreement.rootPublicKeyB64u)
    expect(await verifyStatement(stated, rootKey, [vectors.realm])).toBe(true)
    expect(stated.statement.sheets).toHaveLength(2)
  })

  it('have the leaf of an anchor', () => {
    const { bodyHash, attestationsHash, line, leafHash } = vectors.anchor
    const record = anchorRecordSchema.parse(vectors.anchor.record)
    expect([anchorBodyHash(record), anchorAttestationsHash(record)]).toEqual([bodyHash, attestationsHash])
    expect(anchorEntry(record)).toBe(line)
    expect(toHex(entryHash(line))).toBe(leafHash)
  })

  it('have the bundle of an anchor, and since when it is there by one witness and by two', async () => {
    const { seedsHex, seenAt } = vectors.anchorBundle
    const bundle = anchorBundleSchema.parse(vectors.anchorBundle.bundle)
    const trust = { logKeyB64u: bundle.log.publicKeyB64u }
    expect(await verifyBundle(bundle, trust, [vectors.realm])).toEqual({ ok: true, value: undefined })
    const publicKeysB64u = bundle.cosigned.map(({ cosignature }) => cosignature.publicKeyB64u)
    expect(publicKeysB64u).toHaveLength(seedsHex.witnesses.length)
    for (const [i, at] of seenAt.entries())
      expect(seenBy(bundle.cosigned, { threshold: i + 1, publicKeysB64u })).toEqual({ at, witnesses: i + 1 })
    expect(seenBy(bundle.cosigned, { threshold: 3, publicKeysB64u })).toBeNull()
    // The first form is refused.
    const { first: _, cosigned: __, ...logged } = bundle
    expect(anchorBundleSchema.safeParse({ ...logged, format: 'svc/anchor-bundle/v1' }).success).toBe(false)
  })

  it('have an act that withholds an anchor', async () => {
    const { operatorKeyB64u, line, leafHash } = vectors.withheld
    const signed = signedWithheldSchema.parse(vectors.withheld.signed)
    expect([withheldLine(signed), withheldOfLine(line)]).toEqual([line, signed])
    expect(await verifyWithheld(signed, [operatorKeyB64u], [vectors.realm])).toBe(true)
    expect(toHex(entryHash(line))).toBe(leafHash)
    expect(leafIdOfLine(line)).toBe(`withheld-${vectors.anchor.leafHash}`)
    expect(leafIdOfLine(vectors.anchor.line)).toBe(vectors.anchor.leafHash)
    // Another day than that of its time, and free text.
    const { statement } = signed
    for (const members of [{ day: '2026-11-21' }, { ground: 'name of a person' }, { note: 'free text' }])
      expect(signedWithheldSchema.safeParse({ ...signed, statement: { ...statement, ...members } }).success).toBe(false)
  })

  it('have the hash of a watch token', () => {
    const { token, tokenHash } = vectors.watchToken
    expect([isWatchToken(token), watchTokenHash(token)]).toEqual([true, tokenHash])
  })

  it('have two lists that follow from each other, and their fingerprint', async () => {
    const { fingerprint, firstHash } = vectors.logList
    const [first, second] = [vectors.logList.first, vectors.logList.second].map((list) =>
      signedLogListSchema.parse(list),
    )
    const { keys, validUntil } = first!.statement
    expect(await verifyPinnedList(first!, keys, [vectors.realm], validUntil)).toMatchObject({ ok: true })
    expect(await verifyNextList(first!, second!, [vectors.realm])).toMatchObject({ ok: true })
    expect(listHash(first!)).toBe(firstHash)
    expect(listFingerprint(keys)).toBe(fingerprint)
    expect(isListFingerprint(fingerprint.replaceAll(' ', '-').toUpperCase(), keys)).toBe(true)
    expect(isListFingerprint(fingerprint, { ...keys, threshold: 1 })).toBe(false)
    const { keys: reordered } = { keys: { ...keys, publicKeysB64u: keys.publicKeysB64u.toReversed() } }
    expect(listFingerprint(reordered)).toBe(fingerprint)
  })

  it('have a report of the publisher, and refuse one that names the anchor', async () => {
    const { publisherKeyB64u } = vectors.publication
    const signed = signedPublicationSchema.parse(vectors.publication.signed)
    expect(await verifyPublication(signed, [publisherKeyB64u], [vectors.realm])).toBe(true)
    const { leaf: _, ...named } = signed.statement
    const { anchorId } = vectors.anchor.record
    const former = { ...signed, statement: { ...named, type: 'svc/anchor-publication/v1', anchorId } }
    expect(signedPublicationSchema.safeParse(former).success).toBe(false)
  })

  it('have a page of events that follows a place, and not without what decides', () => {
    const { place, signed } = vectors.eventPage
    const { statement } = signedEventPageSchema.parse(signed)
    expect(pageFault(statement, place)).toBeNull()
    expect(placeAfter(statement, place)).toEqual(statement.head)
    for (const [n, fault] of [
      [0, 'gap'],
      [1, null],
      [2, 'gap'],
    ] as const) {
      const missed = statement.missed + 1
      expect(pageFault({ ...statement, events: statement.events.toSpliced(n, 1), missed }, place)).toBe(fault)
    }
  })

  it('refuse a page of the form before: without the numbers of families', () => {
    const { signed } = vectors.eventPage
    const { kinds: _, ...head } = signed.statement.head
    const former = { ...signed, statement: { ...signed.statement, head } }
    expect(signedEventPageSchema.safeParse(former).success).toBe(false)
    const events = signed.statement.events.map(({ nth: _nth, ...event }) => event)
    const unnumbered = { ...signed, statement: { ...signed.statement, events } }
    expect(signedEventPageSchema.safeParse(unnumbered).success).toBe(false)
  })
})
