import { envelopeOf } from '@svc/protocol/http/envelope'
import * as anchorFeed from '@svc/protocol/ledger/anchor-feed'
import * as anchorLog from '@svc/protocol/ledger/anchor-log'
import { anchorSubmissionSchema, submitAnchorSchema } from '@svc/protocol/ledger/anchor-submission'
import * as anchors from '@svc/protocol/ledger/anchors'
import * as assetStatements from '@svc/protocol/ledger/asset-statements'
import * as assets from '@svc/protocol/ledger/assets'
import { anchorBundleSchema } from '@svc/protocol/ledger/bundle/anchor-bundle'
import * as governance from '@svc/protocol/ledger/governance'
import * as pinning from '@svc/protocol/ledger/pinning'
import { signedWithheldSchema } from '@svc/protocol/ledger/withheld'
import { openEntrySchema } from '@svc/protocol/merkle/entries'
import type * as z from 'zod'

/** The schemas of the examples about anchors, assets, governance and pins. */
export const LEDGER_SCHEMAS: Record<string, z.ZodType> = {
  'add-receipt': assets.addReceiptSchema,
  anchor: anchors.anchorRecordSchema,
  'anchor-bodies': anchorFeed.anchorBodiesSchema,
  'anchor-bundle': anchorBundleSchema,
  'anchor-entry': anchorLog.anchorEntrySchema,
  'anchor-log-opening': openEntrySchema,
  'anchor-publication': anchors.signedPublicationSchema,
  eligibility: anchors.eligibilitySchema,
  'withheld-act': signedWithheldSchema,
  'governance-policy': governance.governancePolicySchema,
  'asset-export': assets.assetExportSchema,
  'asset-mint-statement': assetStatements.mintStatementSchema,
  'asset-transfer-statement': assetStatements.transferStatementSchema,
  'governance-policy-statement': governance.policyStatementSchema,
  'mint-asset': assets.mintAssetSchema,
  'pin-request': pinning.pinRequestSchema,
  pinned: envelopeOf(pinning.pinnedSchema),
  pins: envelopeOf(pinning.pinPageSchema),
  'publish-policy': governance.publishPolicySchema,
  'state-proof': anchors.stateProofSchema,
  'anchor-submission': anchorSubmissionSchema,
  'submit-anchor': submitAnchorSchema,
  'transfer-asset': assets.transferAssetSchema,
}
