import { battery } from '@svc/service/testing'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const hash = 'an identifier / of 100 % & with ? and #'
battery({ service, send, base: BASE, params: { hash, did: `did:svc:${'PDw8'.repeat(8)}` } })
