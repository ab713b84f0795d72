/** What the page on anchors derives: leaves, the hash of the body and roots, computed from its examples. */
import { toHex } from '@svc/protocol/base/hash'
import { anchorAttestationsHash, anchorBodyHash, anchorEntry } from '@svc/protocol/ledger/anchor-log'
import { anchorRecordSchema } from '@svc/protocol/ledger/anchors'
import { anchorBundleSchema } from '@svc/protocol/ledger/bundle/anchor-bundle'
import { entryHash, openEntry } from '@svc/protocol/merkle/entries'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import { value } from './examples.ts'

const { record, log } = anchorBundleSchema.parse(value('anchor-bundle'))
const leaves = [openEntry(log.log, null), anchorEntry(record)].map(entryHash)

export const ANCHORS = {
  record: anchorRecordSchema.parse(value('anchor')),
  bundled: record,
  opening: openEntry(log.log, null),
  entry: anchorEntry(record),
  proof: leaves.slice(0, 1).map(toHex),
  root: toHex(merkleRoot(leaves)),
}

export const ANCHOR_DIGESTS = [
  anchorBodyHash(record),
  anchorAttestationsHash(record),
  ...leaves.map(toHex),
  ANCHORS.root,
]
