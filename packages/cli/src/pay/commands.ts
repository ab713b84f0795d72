import type { CommandSpec } from '../command.ts'

export const PAY_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'pay offer',
    summary: 'List the offers',
    options: [['--country <code>', 'the prices of a country, such as DE']],
    result: 'PayOfferList of pay',
    examples: ['svc pay offer', 'svc pay offer --country DE'],
    page: '/developer/pay',
    run: async (context, given) => (await import('./payments.ts')).offers(context, given),
  },
  {
    path: 'pay intent',
    summary: 'Start a payment, and print the address to pay at',
    args: ['<sku>'],
    options: [
      ['--country <code>', 'where you are, such as DE'],
      ['--key <key>', 'the same key starts the same payment'],
    ],
    result: 'Intent of pay',
    examples: ['svc pay intent provenance-month'],
    run: async (context, given) => (await import('./payments.ts')).intent(context, given),
  },
  {
    path: 'pay status',
    summary: 'Show the plan of this identity, and until when',
    result: 'Entitlement of pay',
    examples: ['svc pay status'],
    run: async (context) => (await import('./payments.ts')).plan(context),
  },
  {
    path: 'pay redeem',
    summary: 'Use an activation code',
    args: ['<code>'],
    result: 'Grant of pay',
    examples: ['svc pay redeem CODE'],
    run: async (context, given) => (await import('./payments.ts')).redeem(context, given),
  },
  {
    path: 'pay change',
    summary: 'Change the plan of your subscription: a higher one now, a lower one from the next period',
    args: ['<sku>'],
    result: 'Entitlement of pay',
    examples: ['svc pay change provenance-month'],
    page: '/developer/pay',
    run: async (context, given) => (await import('./payments.ts')).changePlan(context, given),
  },
]
