import { descriptionBattery, livenessBattery } from '@svc/service/testing'
import examples from '../examples.json'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

descriptionBattery({ service, send, base: BASE, examples })

livenessBattery({ service, send, base: BASE, version: '1.0.1' })
