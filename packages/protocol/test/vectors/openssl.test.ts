/**
 * Checks the vectors of `forms.json` with another implementation: OpenSSL, and the rules as documented on the pages.
 * Imports nothing of the platform, so that both cannot share a mistake.
 */
import * as openssl from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verified } from './ecvrf.ts'
import vectors from './forms.json' with { type: 'json' }
import { isSigned, jcs, publicKeyOfSeed, raw, sha3, userIdOf } from './openssl.ts'

const { realm, did, scope } = vectors

const successorHash = (publicKeyB64u: string) => sha3('ml-dsa-65', Buffer.from([0]), raw(publicKeyB64u)).toString('hex')

describe('successors', () => {
  it.each(vectors.successors)('have a key and a hash', ({ seedHex, publicKeyB64u, successorHash: hash }) => {
    expect(publicKeyOfSeed(seedHex)).toBe(publicKeyB64u)
    expect(successorHash(publicKeyB64u)).toBe(hash)
  })

  it('are committed to by the metadata hash of a genesis', () => {
    const { commitment, metadataHash, metadataHashOfNone } = vectors.genesis
    expect(Object.keys(commitment)).toEqual(['next', 'replaceable'])
    expect(sha3(jcs(commitment)).toString('hex')).toBe(metadataHash)
    expect(sha3('{}').toString('hex')).toBe(metadataHashOfNone)
  })
})

describe('a rotation request', () => {
  const { signed, rotationId } = vectors.rotationRequest
  const { statement } = signed

  it('has the hash of its statement as its id, and names the keys that may follow', () => {
    expect(sha3(jcs(statement)).toString('hex')).toBe(rotationId)
    expect(statement).toMatchObject({ type: 'svc/rotation-request/v1', realm, did, scope, version: 2, epoch: 1 })
    expect(statement.next).toEqual([vectors.successors[1]?.successorHash])
  })

  it('is signed by both keys over the same bytes', () => {
    expect(isSigned(statement, signed.signatureB64u, vectors.keyHistory.keys[0]!.publicKeyB64u)).toBe(true)
    expect(isSigned(statement, signed.newKeySignatureB64u, statement.newPublicKeyB64u)).toBe(true)
    expect(isSigned(statement, signed.signatureB64u, statement.newPublicKeyB64u)).toBe(false)
  })
})

describe('a key history', () => {
  const [first, ...later] = vectors.keyHistory.keys

  it('begins with the key of the DID, and with what its genesis block commits to', () => {
    const { publicKeyB64u, userId, genesis } = first!
    expect(userIdOf(publicKeyB64u)).toBe(userId)
    expect(userId).toBe(scope)
    expect(`did:svc:${Buffer.from(scope, 'hex').subarray(0, 24).toString('base64url')}`).toBe(did)
    const { signature, ...block } = genesis!.block
    expect(isSigned(block, signature, publicKeyB64u)).toBe(true)
    expect(block.metadataHash).toBe(sha3(jcs(genesis!.commitment)).toString('hex'))
  })

  it('goes on with keys that the one before committed to, and that signed for themselves', () => {
    let { commitment } = first!.genesis!
    let ending = first!.publicKeyB64u
    for (const { epoch, userId, publicKeyB64u, request } of later) {
      const { statement, signatureB64u, newKeySignatureB64u } = request!
      expect(commitment.next).toContain(successorHash(publicKeyB64u))
      expect(statement).toMatchObject({ did, scope, epoch, newPublicKeyB64u: publicKeyB64u })
      expect(userIdOf(publicKeyB64u)).toBe(userId)
      expect(isSigned(statement, newKeySignatureB64u, publicKeyB64u)).toBe(true)
      if (signatureB64u !== null) expect(isSigned(statement, signatureB64u, ending)).toBe(true)
      commitment = { next: statement.next, replaceable: statement.replaceable }
      ending = publicKeyB64u
    }
    expect(later.map(({ request }) => request!.signatureB64u !== null)).toEqual([true, false])
  })
})

describe('an invitation', () => {
  const { secret, code, origin, acceptance } = vectors.invitation
  const derived = (label: string, bytes: number) => Buffer.from(openssl.hkdfSync('sha3-384', secret, '', label, bytes))
  const mac = (message: unknown) =>
    openssl.createHmac('sha3-384', derived('svc/offer-mac/v1', 48)).update(jcs(message)).digest()
  const joining = { code, rootPublicKeyB64u: origin.rootPublicKeyB64u }

  it('gives the token of the offer and both keys', () => {
    const token = derived('svc/offer-token/v1', 32).toString('base64url')
    expect(token).toBe(vectors.invitation.tokenB64u)
    expect(sha3(token).toString('hex')).toBe(vectors.invitation.tokenHash)
    expect(derived('svc/offer-mac/v1', 48).toString('hex')).toBe(vectors.invitation.macKeyHex)
    expect(derived('svc/offer-seal/v1', 32).toString('hex')).toBe(vectors.invitation.sealKeyHex)
  })

  it('proves who offers, and who joins', () => {
    const { offerProofB64u, joinProofB64u } = vectors.invitation
    expect(mac({ type: 'svc/offer-proof/v1', ...origin }).toString('base64url')).toBe(offerProofB64u)
    expect(mac({ type: 'svc/join-proof/v1', ...joining, acceptance }).toString('base64url')).toBe(joinProofB64u)
    expect(isSigned(acceptance.statement, acceptance.signatureB64u, acceptance.statement.devicePublicKeyB64u)).toBe(
      true,
    )
  })

  it('gives both people the same twelve characters', () => {
    const { issuedAt: _, ...accepted } = acceptance.statement
    const bytes = mac({ type: 'svc/pairing-confirmation/v1', ...joining, accepted })
    const bits = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(2).padStart(8, '0')).join('')
    const chars = Array.from({ length: 12 }, (__, i) => Number.parseInt(bits.slice(5 * i, 5 * i + 5), 2))
    const text = chars.map((value) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[value]).join('')
    expect(text.replaceAll(/.{4}(?=.)/g, '$&-')).toBe(vectors.invitation.confirmationCode)
  })

  it('ends with a checksum that leaves the remainder 1', () => {
    const chars = Array.from(vectors.invitation.text.replaceAll('-', ''))
    expect(chars.slice(0, -2).join('')).toBe(code.replaceAll('-', '') + secret)
    const values = chars.map((char) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(char))
    expect(values.reduce((sum, value) => (sum * 32 + value) % 1021, 0)).toBe(1)
  })
})

describe('a note', () => {
  const { dataKeyHex, keyHash, label, context, ...bound } = vectors.note

  it('commits to its data key, and binds each wrap to the note and its reader', () => {
    expect(sha3('svc/note-key/v1', Buffer.from(dataKeyHex, 'hex')).toString('hex')).toBe(keyHash)
    expect(label).toBe('svc/dek-wrap/v2')
    expect(jcs({ type: label, ...bound })).toBe(context)
  })
})

describe('the agreement of a device', () => {
  const { devicePublicKeyB64u, signed } = vectors.deviceAgreement
  const { statement } = signed
  const deviceIdOf = (publicKeyB64u: string) => sha3(raw(publicKeyB64u)).subarray(0, 24).toString('base64url')

  it('is about one acceptance, and signed by the device that it names', () => {
    const { acceptance } = vectors.invitation
    expect(statement).toMatchObject({ type: 'svc/device-agreement/v1', realm, did, scope, rootEpoch: 0 })
    expect(statement.deviceId).toBe(deviceIdOf(acceptance.statement.devicePublicKeyB64u))
    expect(statement.acceptanceHash).toBe(sha3(jcs(acceptance.statement)).toString('hex'))
    expect(statement.signedBy).toBe(deviceIdOf(devicePublicKeyB64u))
    expect(isSigned(statement, signed.signatureB64u, devicePublicKeyB64u)).toBe(true)
  })
})

describe('a key agreement with sheets', () => {
  it('has the keys of each sheet, under the signature of the root key', () => {
    const { rootPublicKeyB64u, signed } = vectors.keyAgreement
    expect(rootPublicKeyB64u).toBe(vectors.successors[0]?.publicKeyB64u)
    expect(signed.statement.sheets.map((sheet) => Object.keys(sheet))).toEqual([
      ['kemPublicKeyB64u', 'x25519B64u'],
      ['kemPublicKeyB64u', 'x25519B64u'],
    ])
    expect(isSigned(signed.statement, signed.signatureB64u, rootPublicKeyB64u)).toBe(true)
  })
})

describe('the label of an account', () => {
  const file = join(import.meta.dirname, '../../../pqc/src/vrf/rfc9381-vectors.json')
  const rfc9381 = JSON.parse(readFileSync(file, 'utf8')) as readonly {
    pk: string
    alpha: string
    pi: string
    beta: string
  }[]

  it('is proved by an implementation that reproduces the examples of RFC 9381', () => {
    for (const { pk, alpha, pi, beta } of rfc9381) {
      const [key, input, proof] = [pk, alpha, pi].map((hex) => Buffer.from(hex, 'hex'))
      expect(verified(key!, input!, proof!)?.toString('hex')).toBe(beta)
    }
  })

  it('is the first 32 bytes of what the proof proves of namespace and DID, and of nothing else', () => {
    const { labelKeyB64u, namespace, label, labelProofB64u } = vectors.accountLabel
    const alpha = (type: string) => Buffer.from(jcs({ type, namespace, did }))
    const hash = verified(raw(labelKeyB64u), alpha('svc/account-label/v2'), raw(labelProofB64u))
    expect(hash?.subarray(0, 32).toString('hex')).toBe(label)
    expect(verified(raw(labelKeyB64u), alpha('svc/account-label/v1'), raw(labelProofB64u))).toBeNull()
  })
})

describe('a watch token', () => {
  const { token, tokenHash, deviceKemSeedHex, deviceToken } = vectors.watchToken

  it('is hashed as text', () => {
    expect(raw(token).length).toBe(32)
    expect(sha3(token).toString('hex')).toBe(tokenHash)
  })

  it('of a device is derived from its KEM seed', () => {
    const seed = Buffer.from(deviceKemSeedHex, 'hex')
    const derived = Buffer.from(openssl.hkdfSync('sha3-384', seed, '', 'svc/watch-token/v1', 32))
    expect(derived.toString('base64url')).toBe(deviceToken)
  })
})

describe('consent', () => {
  const { creatorDid, records } = vectors.consent

  it.each(records)(
    'has hashes and a bucket for $contentHash',
    ({ contentHash, identifierHash, bucket, creatorHash }) => {
      const hash = sha3(jcs({ type: 'svc/consent-identifier/v1', content_hash: contentHash }))
      expect(hash.toString('hex')).toBe(identifierHash)
      // The first ten bits.
      expect(Math.floor(hash.readUInt16BE() / 64)).toBe(bucket)
      const creator = { type: 'svc/consent-creator/v1', content_hash: contentHash, creator_did: creatorDid }
      expect(sha3(jcs(creator)).toString('hex')).toBe(creatorHash)
    },
  )
})

describe('an anchor', () => {
  const { record, bodyHash, attestationsHash, line, leafHash } = vectors.anchor

  it('is a leaf of its log by the hashes of its salted body and attestations alone', () => {
    const { status: _, position: __, attestations, ...body } = record
    expect(raw(body.salt)).toHaveLength(16)
    expect(sha3(jcs({ type: 'svc/anchor-body/v1', ...body })).toString('hex')).toBe(bodyHash)
    const attested = { type: 'svc/anchor-attestations/v1', salt: body.salt, attestations }
    expect(sha3(jcs(attested)).toString('hex')).toBe(attestationsHash)
    expect(line).toBe(jcs({ kind: 'anchor', bodyHash, attestationsHash }))
    expect(sha3(Buffer.from([0]), line).toString('hex')).toBe(leafHash)
  })
})

describe('a signed list', () => {
  const { seedsHex, fingerprint, first, firstHash, second } = vectors.logList
  const signersOf = ({ statement, signatures }: typeof first | typeof second) =>
    signatures
      .filter(({ publicKeyB64u, signatureB64u }) => isSigned(statement, signatureB64u, publicKeyB64u))
      .map(({ publicKeyB64u }) => publicKeyB64u)

  it('is signed by two of its three keys, and the next one names its hash', () => {
    const { threshold, publicKeysB64u: keys } = first.statement.keys
    expect(seedsHex.map(publicKeyOfSeed)).toEqual(keys)
    expect(threshold).toBe(2)
    expect(signersOf(first)).toEqual([keys[0], keys[1]])
    expect(signersOf(second)).toEqual([keys[1], keys[2]])
    expect(sha3(jcs(first.statement)).toString('hex')).toBe(firstHash)
    expect(second.statement).toMatchObject({ version: 2, previous: firstHash, keys: first.statement.keys })
    expect(first.statement.realms[0]).toBe(first.statement.realm)
  })

  it('has a fingerprint of the threshold and the hashes of its keys', () => {
    const { threshold, publicKeysB64u } = first.statement.keys
    const keys = publicKeysB64u.map((key) => sha3(raw(key)).toString('hex')).toSorted()
    const hex = sha3(jcs({ threshold, keys })).subarray(0, 16).toString('hex')
    expect(fingerprint).toBe(hex.match(/.{4}/g)?.join(' '))
  })

  it('ends the stolen key where its successor begins', () => {
    const [stolen, next] = second.statement.services
    expect(stolen).toMatchObject({ publicKeyB64u: first.statement.services[0]?.publicKeyB64u })
    expect(stolen?.validUntil).toBe(next?.validFrom)
    expect(next?.validFrom).toBe(second.statement.issuedAt)
  })
})

it('a blind root hides the hash of a file behind a nonce', () => {
  const { text, hash, nonceB64u: nonce, root } = vectors.blindRoot
  expect(sha3(text).toString('hex')).toBe(hash)
  expect(raw(nonce)).toHaveLength(32)
  expect(sha3(jcs({ type: 'svc/blind-root/v1', nonce, hash })).toString('hex')).toBe(root)
})

it('the map of accounts commits to the head and the newest key agreement of each', () => {
  const { lines, accounts, leafHashes, root } = vectors.accountMap
  const { statement } = vectors.keyAgreement.signed
  const [first] = accounts
  expect(first?.agreement).toEqual({ hash: sha3(jcs(statement)).toString('hex'), issuedAt: statement.issuedAt })
  type Line = { label: string; seq: number; statementHash: string; agreedAt?: number }
  const updates = lines.map((line) => JSON.parse(line) as Line)
  expect(updates.map(jcs)).toEqual(lines)
  const hashes = accounts.map(({ label, seq, head, agreement }) => {
    const own = updates.filter((update) => update.label === label)
    expect(own.map((update) => update.seq)).toEqual(own.map((_, i) => i + 1))
    const folded = own.reduce(
      (known, { statementHash }) => sha3(Uint8Array.of(4), known, Buffer.from(statementHash, 'hex')),
      Buffer.alloc(48),
    )
    expect([seq, head]).toEqual([own.length, folded.toString('hex')])
    const agreed = own.find(({ agreedAt }) => agreedAt !== undefined)
    expect(agreement).toEqual(agreed ? { hash: agreed.statementHash, issuedAt: agreed.agreedAt } : null)
    const leaf = Buffer.alloc(140)
    leaf.write(label, 0, 'hex')
    leaf.writeUInt32BE(seq, 32)
    leaf.write(head, 36, 'hex')
    leaf.writeBigUInt64BE(BigInt(agreement?.issuedAt ?? 0), 84)
    if (agreement) leaf.write(agreement.hash, 92, 'hex')
    return sha3(Uint8Array.of(2), leaf)
  })
  expect(hashes.map((hash) => hash.toString('hex'))).toEqual(leafHashes)
  // The labels differ in the first bit.
  const [right, left] = hashes
  expect(accounts.map(({ label }) => Number.parseInt(label.slice(0, 2), 16) >> 7)).toEqual([1, 0])
  expect(sha3(Uint8Array.of(3), left!, right!).toString('hex')).toBe(root)
})

it('the tag of a contact covers the pass', () => {
  const { tag, ...members } = vectors.contactTag
  const digest = sha3(jcs({ type: 'svc/prekey-contact/v1', ...members }))
  expect(digest.subarray(0, 24).toString('base64url')).toBe(tag)
  expect(raw(members.passB64u)).toHaveLength(32)
})

it('the name of a unit is a MAC under a key of its use and version', () => {
  const { seedHex, version, did: owner, what, key } = vectors.quotaUnit
  const info = `svc/keyed-macs/v1 quota-unit ${version}`
  const secret = Buffer.from(openssl.hkdfSync('sha256', Buffer.from(seedHex, 'hex'), '', info, 32))
  const mac = openssl.createHmac('sha256', secret).update(`${owner} ${what}`).digest('base64url')
  expect(`${version}.${mac}`).toBe(key)
})

it('a report of the publisher is signed by a key of the signed list, and names the leaf of an anchor alone', () => {
  const { publisherKeyB64u, signed } = vectors.publication
  const listed = vectors.logList.second.statement.services.filter(({ use }) => use === 'publication')
  expect(listed.map(({ publicKeyB64u }) => publicKeyB64u)).toEqual([publisherKeyB64u])
  expect(isSigned(signed.statement, signed.signatureB64u, publisherKeyB64u)).toBe(true)
  expect(signed.statement.leaf).toBe(vectors.anchor.leafHash)
  const { record } = vectors.anchor
  for (const told of [record.anchorId, record.root, record.owner]) expect(jcs(signed)).not.toContain(told)
})

describe('an act that withholds an anchor', () => {
  const { operatorKeyB64u, signed, line, leafHash } = vectors.withheld

  it('is signed by the operator, names the leaf, and is a leaf itself', () => {
    expect(isSigned(signed.statement, signed.signatureB64u, operatorKeyB64u)).toBe(true)
    expect(signed.statement.leaf).toBe(vectors.anchor.leafHash)
    const listed = vectors.logList.second.statement.services.filter(({ use }) => use === 'operation')
    expect(listed.map(({ publicKeyB64u }) => publicKeyB64u)).toEqual([operatorKeyB64u])
    expect(signed.statement.day).toBe(new Date(signed.statement.issuedAt).toISOString().slice(0, 10))
    expect(line).toBe(jcs({ kind: 'withheld', ...signed }))
    expect(sha3(Buffer.from([0]), line).toString('hex')).toBe(leafHash)
  })
})

describe('a page of the event feed', () => {
  const { seedHex, place, signed, merged } = vectors.eventPage
  const { statement } = signed
  const hashOf = (event: unknown) => sha3(jcs(event)).toString('hex')
  const [device, hold, rotation] = statement.events

  it('is signed over its statement', () => {
    expect(publicKeyOfSeed(seedHex)).toBe(signed.publicKeyB64u)
    expect(isSigned(statement, signed.signatureB64u, signed.publicKeyB64u)).toBe(true)
  })

  it('accounts for each number up to the head, and links events that follow each other', () => {
    expect([statement.after, device?.sequence, hold?.sequence, rotation?.sequence]).toEqual([1, 2, 4, 5])
    expect(statement.after + statement.missed + statement.events.length).toBe(statement.head.sequence)
    expect(device?.previousHash).toBe(place.hash)
    expect(merged.previousHash).toBe(hashOf(device))
    expect(hold?.previousHash).toBe(hashOf(merged))
    expect(rotation?.previousHash).toBe(hashOf(hold))
    expect(statement.head.hash).toBe(hashOf(rotation))
  })

  it('numbers the events of each family', () => {
    expect(place.kinds).toEqual({ rotation: 0, deactivation: 0, device: 0, hook: 1 })
    expect(statement.events.map(({ nth }) => nth)).toEqual([1, 2, 1])
    expect(statement.head.kinds).toEqual({ rotation: 1, deactivation: 0, device: 1, hold: 2, hook: 1 })
    expect(hold).toMatchObject({ count: 2, since: merged.at })
  })
})
