import { anchorStatusSchema } from '@svc/protocol/provenance-api'
import { defineOperation } from '@svc/service'
import { provenanceRoute } from '../route.ts'

export const readAnchorStatus = defineOperation({
  id: 'readAnchorStatus',
  method: 'get',
  path: '/api/anchor/status',
  summary: 'What is published to ledgers: nothing by itself',
  description: 'No registration here is backed by a ledger, whatever was anchored by hand.',
  auth: 'none',
  answer: { status: 200, description: 'What is deployed', schema: anchorStatusSchema },
})

export const anchorRoutes = [
  provenanceRoute(readAnchorStatus, ({ deps }) => ({
    automaticPublication: { enabled: false as const, trigger: 'off' as const },
    ledgers: {
      first: {
        enabled: false as const,
        status: 'manual' as const,
        network: 'test' as const,
        epochs: deps.config.TEST_NETWORK_EPOCHS,
      },
      second: { enabled: false as const, status: 'not-implemented' as const },
    },
    registrationsAreLedgerBacked: false as const,
  })),
]
