/** The digests of the pages on assets and governance. */
import { mintEventHash } from '@svc/protocol/ledger/asset-statements'
import { assetExportSchema } from '@svc/protocol/ledger/assets'
import { governancePolicySchema, policyIdOf } from '@svc/protocol/ledger/governance'
import { value } from './examples.ts'

/** The nonce of the operator's act on the page. */
const nonce = 'b3BlcmF0b3ItYWN0LTAx'
const policy = governancePolicySchema.parse(value('governance-policy'))
export const FIRST_POLICY_ID = policyIdOf({ policy, previousPolicyId: null, nonce })

const { record } = assetExportSchema.parse(value('asset-export'))

export const ASSET_DIGESTS: readonly string[] = [
  record.asset.assetId.slice(-96),
  await mintEventHash(record),
  FIRST_POLICY_ID,
]
