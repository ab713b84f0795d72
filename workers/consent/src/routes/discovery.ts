import { livenessRoute } from '@svc/service'
import { CONSENT_VERSION } from '../version.ts'

export const discoveryRoutes = [livenessRoute('consent', CONSENT_VERSION)]
