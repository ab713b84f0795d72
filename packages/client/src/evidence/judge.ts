import type { AssetEvents } from '@svc/protocol/ledger/asset-proof'
import type { SignedMessage } from '@svc/protocol/statements/message'
import type { Detected } from './detect/detect.ts'
import type { Draft } from './detect/drafts.ts'
import type { Sealed } from './detect/sealed.ts'
import { type Block, judgeChain, judgeDid, judgeExport, judgeKeys, judgeMessage } from './judge-identity.ts'
import { judgeAnchor, judgeReceipt } from './judge-logs.ts'
import { judgeAsset, judgeContent, judgeHash, judgePage, judgeProof } from './judge-proofs.ts'
import type { Means } from './means.ts'
import { unchecked, type Verdict, verdictOf } from './verdict.ts'

/**
 * The verdict on what `detectFile` or `detectTyped` found; `bytes` are those of the file. Throws what the SDK throws if it
 * does not verify, and a TypeError, RangeError or SyntaxError if it only looks like its kind.
 */
export async function judge({ kind, value }: Detected, bytes: Uint8Array | null, means: Means): Promise<Verdict> {
  switch (kind) {
    case 'did':
      return judgeDid(String(value), means)
    case 'hash':
      return judgeHash(String(value), means)
    case 'page':
      return judgePage(String(value), means)
    case 'chain':
      return judgeChain(value as readonly Block[], means)
    case 'keys':
      return judgeKeys(value as readonly object[], means)
    case 'anchor':
      return judgeAnchor(value, means)
    case 'stamp':
      return verdictOf('stamp', null, [unchecked('stamp')], { needs: 'upgrade' })
    case 'proof':
      return judgeProof(value, means)
    case 'capsule':
      return (await import('./judge-capsule.ts')).judgeCapsule(value, means)
    case 'commitment':
      return (await import('./judge-commitment.ts')).judgeCommitment(value, means)
    case 'notes':
      return (await import('./judge-notes.ts')).judgeNotes(value as readonly string[], means)
    case 'statement':
      return (await import('./judge-statement.ts')).judgeStatement(value, means)
    case 'draft':
      return (await import('./judge-draft.ts')).judgeDraft(value as Draft)
    case 'beacon':
      return (await import('./judge-beacon.ts')).judgeBeacon(String(value), means)
    case 'sealed':
      return (await import('./judge-sealed.ts')).judgeSealed(value as Sealed)
    case 'asset':
      return judgeAsset(value as AssetEvents, means)
    case 'message':
      return judgeMessage(value as SignedMessage, means)
    case 'checkpoints':
      return (await import('./judge-checkpoints.ts')).judgeCheckpoints(value as readonly object[], means)
    case 'receipt':
      return judgeReceipt(value, means)
    case 'export':
      return judgeExport(value, means)
    case 'content':
      return judgeContent(bytes ?? new Uint8Array(), means)
  }
}
