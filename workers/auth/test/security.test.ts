import { battery } from '@svc/service/testing'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

battery({ service, send, base: BASE, params: { passkeyId: 'AAAA' } })
