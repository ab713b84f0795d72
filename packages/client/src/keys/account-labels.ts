import { hashTextHex } from '#protocol/base/hash'
import { provedLabel } from '#protocol/keys/account-labels'
import { didAnswerSchema } from '#protocol/keys/transparency'
import type { LogName, Piece } from '../memory/errors.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import { unverified } from '../verification/verification-error.ts'
import type { DirectoryLog } from './directory-log.ts'

/** What is kept of a label: enough to verify it again. */
type KnownLabel = Piece<{ readonly labelProofB64u: string }>

/** What an answer says of the account that it is about. */
interface Labelled {
  readonly label: string
  readonly labelProofB64u: string
}

/** At about 200 bytes each, 2 MB. */
const MAX_VERIFIED = 10_000

/**
 * The labels of accounts that this client has verified. A label depends on nothing but the DID and the key in the log
 * list, so each is verified once, and kept in the memory of the client.
 */
export class AccountLabels {
  readonly #log: DirectoryLog
  readonly #memory: KnownLogs
  readonly #verified = new Map<string, Labelled>()

  constructor(log: DirectoryLog, memory: KnownLogs) {
    this.#log = log
    this.#memory = memory
  }

  /** Asks the directory the first time: no mirror can prove a label. */
  async of(accountDid: string): Promise<Labelled> {
    const known = await this.known(accountDid)
    if (known) return known
    const answer = await this.#log.get(`proof/${accountDid}`, didAnswerSchema, false)
    return this.believe(accountDid, answer)
  }

  /** Without a request; null for an account that this client has not met. */
  async known(accountDid: string): Promise<Labelled | null> {
    const verified = this.#verified.get(accountDid)
    if (verified) return verified
    const [kept] = await this.#memory.recall<KnownLabel>(nameOf(accountDid))
    if (!kept) return null
    const label = await this.#proved(accountDid, kept.signed.labelProofB64u)
    return this.#keep(accountDid, { label, labelProofB64u: kept.signed.labelProofB64u })
  }

  /** Throws a `VerificationError` unless the proof of an answer shows that its label is the one of the DID. */
  async believe(accountDid: string, answer: Labelled): Promise<Labelled> {
    const { labelProofB64u } = answer
    const label = await this.#proved(accountDid, labelProofB64u)
    if (answer.label !== label)
      throw unverified('account', 'different_answer', 'The answer is for another account', { evidence: answer })
    const piece: KnownLabel = { position: 0, hash: hashTextHex(label), signed: { labelProofB64u } }
    await this.#memory.advance(nameOf(accountDid), piece, [])
    return this.#keep(accountDid, { label, labelProofB64u })
  }

  async #proved(accountDid: string, labelProofB64u: string): Promise<string> {
    const label = await provedLabel(accountDid, labelProofB64u, await this.#log.trusted.list())
    if (label !== null) return label
    throw unverified('label', 'wrong_label', 'The proof does not show a label of the account', {
      evidence: { accountDid, labelProofB64u },
    })
  }

  #keep(accountDid: string, proved: Labelled): Labelled {
    if (this.#verified.size >= MAX_VERIFIED) this.#verified.clear()
    this.#verified.set(accountDid, proved)
    return proved
  }
}

function nameOf(accountDid: string): LogName {
  return { kind: 'label', of: accountDid }
}
