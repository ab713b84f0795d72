import * as z from 'zod'

/**
 * Where Durable Objects keep their data and run. Fixed when an object is first used: the same name in another
 * jurisdiction is another object, which is empty.
 */
export const jurisdictionSchema = z.enum(['none', 'eu', 'fedramp']).default('none')

/** Where an object that has no jurisdiction is created, if not near its first caller: a wish, heard once. */
export const objectHintSchema = z
  .enum(['', 'wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'])
  .default('')
