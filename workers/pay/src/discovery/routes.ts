import { mlDsa65 } from '@svc/pqc'
import { payBannerSchema } from '@svc/protocol/pay/quota'
import { defineOperation, livenessRoute, objectCommitsRoute } from '@svc/service'
import { PAY_DESCRIPTION, payRoute } from '../service.ts'

export const readBanner = defineOperation({
  id: 'readBanner',
  method: 'get',
  path: '/',
  summary: 'Read the service banner and the key that signs receipts',
  description:
    'Keep `receiptKeyB64u`: it verifies the receipts that consuming a meter returns. It is null if this deployment ' +
    'does not sign receipts.',
  auth: 'none',
  answer: { status: 200, description: 'The banner', schema: payBannerSchema },
})

export const discoveryRoutes = [
  payRoute(readBanner, async ({ deps, now }) => ({
    service: 'pay' as const,
    version: PAY_DESCRIPTION.version,
    receiptKeyB64u: await deps.receipts.publicKey(now),
  })),
  livenessRoute('pay', PAY_DESCRIPTION.version, mlDsa65.backend),
  objectCommitsRoute('pay'),
]
