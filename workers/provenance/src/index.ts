import { app } from './app.ts'

export { NonceGuard } from '@svc/assertion/worker'
export { CounterObject } from '@svc/service/counter-object'

export default app
