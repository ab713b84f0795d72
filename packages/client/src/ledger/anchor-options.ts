import type { AnchorStatus } from '#protocol/ledger/anchors'
import type { GovernanceAttestation } from '#protocol/ledger/attestations'
import type { AnchorBundle } from '#protocol/ledger/bundle/anchor-bundle'
import type { AnchorCosigned } from '#protocol/ledger/cosigned/anchor-cosigned'
import type { SeenBy } from '#protocol/ledger/cosigned/seen-by'
import type { KeyHistory } from '../chain/key-history.ts'
import type { TrustedKeys } from '../discovery/trusted-keys.ts'
import type { WitnessPolicy } from '../keys/witness-policy.ts'
import type { TrustedLogsOptions } from '../logs/trusted-logs.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import type { Notes } from '../notes/notes.ts'
import type { AnchorSigning } from './anchor-signing.ts'

export interface NewAnchor {
  /** SHA3-384, 96 hex characters: for a chain, the hash of its newest block; otherwise a hash that commits to the data. */
  readonly root: string
  /** Your label for what the root closes, 1 to 64 characters: the same root and epoch is the same anchor. */
  readonly epoch: string
  /** Signatures of policy signers; defaults to this identity's own. */
  readonly attestations?: readonly GovernanceAttestation[]
}

/** Which anchors a list has; all without it. */
export interface AnchorFilter {
  /** A DID. */
  readonly owner?: string
  /** As it is when the page is read. */
  readonly status?: AnchorStatus
  /** What was anchored, SHA3-384 in hex: `await hashOf(file)`. */
  readonly root?: string
}

export interface AnchorsOptions extends TrustedLogsOptions {
  /** The keys of the publisher; null if the client cannot know them. */
  readonly publisherKeys?: TrustedKeys | null
  readonly memory?: KnownLogs
  /** For `cosigned`. */
  readonly witnesses?: WitnessPolicy | undefined
  /** For `verify`. */
  readonly keys?: () => Promise<KeyHistory>
  /** For the library of stamps. */
  readonly notes?: () => Promise<Notes>
}

/** A verified bundle, with the current state of the key that attested its anchor. */
export interface VerifiedAnchor extends AnchorBundle, AnchorSigning {}

/** The cosignatures of an anchor, and the time that they prove under the client's witness policy. */
export interface CosignedAnchor extends AnchorCosigned {
  /** When `threshold` witnesses had seen it; null if fewer have, so that only the log's own time is known. */
  readonly seen: SeenBy | null
}
