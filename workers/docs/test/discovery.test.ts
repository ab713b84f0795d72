import { livenessBattery } from '@svc/service/testing'
import committed from '../openapi.json'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

livenessBattery({ service, send, base: BASE, version: '1.0.1', committed })
