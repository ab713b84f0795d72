import { anchorStatusSchema } from '@svc/protocol/provenance/api'
import { defineOperation } from '@svc/service'
import { provenanceRoute } from '../service.ts'

export const readAnchorStatus = defineOperation({
  id: 'readAnchorStatus',
  method: 'get',
  path: '/api/anchor/status',
  summary: 'Read what is published to ledgers: nothing automatically',
  description: 'Registrations are not backed by a ledger, whatever was anchored by hand.',
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
