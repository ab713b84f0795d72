import { bytesOf } from '#protocol/base/base64url'
import { type Signed, signStatement, statementHash, verifyStatement } from '#protocol/base/statement'
import {
  type PublishVaultKey,
  type VaultGeneration,
  type VaultKey,
  type VaultMembers,
  type VaultWrap,
  vaultGenerationSchema,
  vaultGenerationsSchema,
  vaultKeyHash,
  vaultKeyReportedSchema,
  wrapHashOf,
} from '#protocol/keys/epoch-vault'
import type { Identity } from '../../identity/identity.ts'
import { signerOf } from '../../identity/signing-key.ts'
import { unverified } from '../../verification/verification-error.ts'
import type { VaultParts } from '../epochs.ts'
import { type KeyHolder, openEarlier, openWrap, sealEarlier, wrapFor } from './vault-cipher.ts'
import { EpochVaultError } from './vault-error.ts'

/** A statement that was verified, with what this member gets of its key. */
export interface VerifiedKey {
  readonly statement: VaultKey
  readonly hash: string
  readonly wrap: VaultWrap | null
  readonly reportedBy: string | null
}

/** The keys of one vault: verified against each other and their signers, and opened when they are needed. */
export class VaultKeys {
  readonly #parts: VaultParts
  readonly #epoch: number
  readonly #owner: Identity
  readonly #url: string
  readonly #known = new Map<number, VerifiedKey>()
  readonly #opened = new Map<number, Uint8Array>()

  constructor(parts: VaultParts, epoch: number, owner: Identity) {
    this.#parts = parts
    this.#epoch = epoch
    this.#owner = owner
    this.#url = `${parts.keys}/api/vault/${epoch}/keys`
  }

  /**
   * The newest key, null before the first. Reads what is new since the last call; throws if the service shows another
   * history than before.
   */
  async newest(): Promise<VerifiedKey | null> {
    const shown = await this.#read()
    const [top] = shown
    const highest = Math.max(0, ...this.#known.keys())
    if ((top?.key.statement.generation ?? 0) < highest)
      throw unverified('epochVault', 'rollback', 'The service shows an older key than before')
    for (const [index, { key, wrap, reportedBy }] of shown.entries()) {
      const { statement } = key
      if (statement.epoch !== this.#epoch)
        throw unverified('epochVault', 'different_answer', 'A key is of another vault', { evidence: key })
      const hash = statementHash(statement)
      const known = this.#known.get(statement.generation)
      const follower = shown[index - 1]?.key.statement
      if (follower && (follower.generation !== statement.generation + 1 || follower.previous !== hash))
        throw unverified('epochVault', 'wrong_previous', 'The keys do not follow each other', { evidence: key })
      if (known && known.hash !== hash)
        throw unverified('epochVault', 'fork', 'The service shows another key than before', { evidence: key })
      if (!known) await this.#check(key)
      this.#known.set(statement.generation, { statement, hash, wrap: this.#own(statement, wrap), reportedBy })
    }
    return top ? (this.#known.get(top.key.statement.generation) ?? null) : null
  }

  /** A verified statement; call `newest` first. */
  statement(generation: number): VaultKey {
    const known = this.#known.get(generation)
    if (known) return known.statement
    throw unverified('epochVault', 'no_key', 'The service shows no key of this generation')
  }

  /**
   * A key: from what this member got of it, or from the key after it. Reports the newest if what this member got of it is
   * not the key that its publisher committed to.
   */
  async key(generation: number): Promise<Uint8Array> {
    const key = await this.#open(generation)
    if (key) return key
    const known = this.#known.get(generation)
    const isNewest = !this.#known.has(generation + 1)
    if (!known?.wrap)
      throw new EpochVaultError(
        'no_key_yet',
        'No key of the vault is for you yet: another member has to write or rekey',
      )
    if (isNewest && known.reportedBy === null) await this.#report(generation)
    throw new EpochVaultError('key_unreadable', `The key ${generation} of the vault does not open`, [
      known.statement.publisher,
    ])
  }

  /** Publishes the next key for these members, whose KEM keys are verified. */
  async publish(
    members: ReadonlyMap<string, string>,
    { withoutEarlier }: { readonly withoutEarlier: boolean },
  ): Promise<void> {
    const before = await this.newest()
    const generation = (before?.statement.generation ?? 0) + 1
    const { realm } = this.#parts.transport
    const place = { realm, epoch: this.#epoch, generation }
    const key = crypto.getRandomValues(new Uint8Array(32))
    const earlier = before && !withoutEarlier ? await this.key(before.statement.generation) : null
    const wraps = await Promise.all(
      [...members].sort(([a], [b]) => (a < b ? -1 : 1)).map(([did, kemKey]) => wrapFor(key, did, kemKey, place)),
    )
    const statement = {
      type: 'svc/epoch-vault-key/v1',
      ...place,
      previous: before?.hash ?? null,
      publisher: this.#owner.did,
      keyHash: vaultKeyHash(key),
      earlierKeyB64u: earlier && (await sealEarlier(earlier, key, place)),
      members: wraps.map((wrap) => ({ did: wrap.did, wrapHash: wrapHashOf(wrap) })),
      issuedAt: this.#parts.transport.now(),
    } as const
    const body: PublishVaultKey = {
      key: await signStatement({ ...statement, members: [...statement.members] }, signerOf(this.#owner)),
      wraps,
    }
    const call = { method: 'POST', url: this.#url, audience: 'keys', body } as const
    await this.#parts.transport.data(call, vaultGenerationSchema)
    this.#opened.set(generation, key)
  }

  async #report(generation: number): Promise<void> {
    const call = { method: 'POST', url: `${this.#url}/${generation}/report`, audience: 'keys' } as const
    await this.#parts.transport.data(call, vaultKeyReportedSchema)
  }

  async #open(generation: number): Promise<Uint8Array | null> {
    const opened = this.#opened.get(generation)
    if (opened) return opened
    const known = this.#known.get(generation)
    if (!known) return null
    const { statement, wrap } = known
    const own = wrap && (await openWrap(wrap, this.#holders, statement))
    const isOwn = own && vaultKeyHash(own) === statement.keyHash
    const key = isOwn ? own : await this.#fromLater(statement)
    if (key) this.#opened.set(generation, key)
    return key
  }

  async #fromLater({ generation, keyHash }: VaultKey): Promise<Uint8Array | null> {
    const later = this.#known.get(generation + 1)?.statement
    if (!later || later.earlierKeyB64u === null) return null
    const laterKey = await this.#open(generation + 1)
    const key = laterKey && (await openEarlier(later.earlierKeyB64u, laterKey, later))
    return key && vaultKeyHash(key) === keyHash ? key : null
  }

  get #holders(): readonly KeyHolder[] {
    return [this.#owner, ...this.#parts.former]
  }

  /** Only what the statement commits to counts. */
  #own({ members }: VaultKey, wrap: VaultWrap | null): VaultWrap | null {
    const { did } = this.#owner
    const committed = members.find((member) => member.did === did)
    if (!committed) return null
    if (wrap?.did !== did || wrapHashOf(wrap) !== committed.wrapHash)
      throw unverified('epochVault', 'left_out', 'The service withholds what the publisher of a key made for you')
    return wrap
  }

  /** Everything that this client has not verified yet, newest first. */
  async #read(): Promise<VaultGeneration[]> {
    const read: VaultGeneration[] = []
    for (let before: number | null = null; ; ) {
      const url: string = before === null ? this.#url : `${this.#url}?before=${before}`
      const call = { method: 'GET', url, audience: 'keys' } as const
      const page = await this.#parts.transport.data(call, vaultGenerationsSchema)
      read.push(...page.generations)
      const oldest = page.generations.at(-1)?.key.statement.generation
      if (oldest === undefined || oldest === 1 || this.#known.has(oldest)) break
      if (page.next !== oldest) throw unverified('epochVault', 'left_out', 'The service left out keys')
      before = page.next
    }
    return read
  }

  async #check(key: Signed<VaultKey>): Promise<void> {
    const { publisher, members } = key.statement
    if (!members.some(({ did }) => did === publisher))
      throw unverified('epochVault', 'wrong_identity', 'A key was published by somebody it is not for', {
        evidence: key,
      })
    if (!(await isSignedBy(this.#parts, publisher, key)))
      throw unverified('epochVault', 'invalid_signature', 'The publisher did not sign a key', { evidence: key })
  }
}

/** Whether any root key of the identity signed it, current or superseded. */
export async function isSignedBy(
  { history, transport }: Pick<VaultParts, 'history' | 'transport'>,
  did: string,
  signed: Signed<object>,
): Promise<boolean> {
  for (const { publicKeyB64u } of await history.of(did)) {
    if (await verifyStatement(signed, bytesOf(publicKeyB64u), transport.realms)) return true
  }
  return false
}

/** Whether a key is for exactly these members. */
export function covers({ statement, reportedBy }: VerifiedKey, members: VaultMembers['members']): boolean {
  const dids = new Set(statement.members.map(({ did }) => did))
  return reportedBy === null && dids.size === members.length && members.every(({ did }) => dids.has(did))
}
