import type { Figure } from '../figures/figure.ts'
import { type Random, seededRandom } from '../traffic/random.ts'
import { type Attack, attacksOf } from './attacks.ts'
import { TextRegistry } from './registry.ts'
import { type Chunks, type HonestText, honestText, queryOf } from './texts.ts'

const HONEST = 10_000
const ATTACKERS = 0.05
const ATTACKS = 5
/** Honest texts that one identity registers. */
const OF_AN_AUTHOR = 20
const MAX_LOSS = 0.02

interface Recall {
  readonly name: string
  readonly queries: number
  readonly without: number
  readonly attacked: number
}

/** How often the source of a passage is found first, without attackers and with them, of the texts that they are about. */
export function recallUnderAttack(honestCount: number, random: Random): Recall[] {
  const honest = Array.from({ length: honestCount }, (_, i) =>
    honestText(random, `author ${Math.floor(i / OF_AN_AUTHOR)}`),
  )
  const untouched = [...honest]
  const next = (count: number) => untouched.splice(0, count)
  const attacks = attacksOf(Math.round((honestCount * ATTACKERS) / ATTACKS), next, random)
  const questions = attacks.map(({ victims, sent }) =>
    sent.map((_, i) => questionOf(victims[i % victims.length]!, i, random)),
  )
  const [calm, attacked] = [searchOf(honest, []), searchOf(honest, attacks)]
  const hits = (search: Search, asked: readonly Question[]) =>
    asked.filter(({ text, query }) => search(query) === text.sent.asset_id).length
  const each = attacks.map(({ name }, i) => {
    const asked = questions[i] ?? []
    return { name, queries: asked.length, without: hits(calm, asked), attacked: hits(attacked, asked) }
  })
  const sum = (of: 'queries' | 'without' | 'attacked') => each.reduce((total, recall) => total + recall[of], 0)
  return [...each, { name: 'all attacks', queries: sum('queries'), without: sum('without'), attacked: sum('attacked') }]
}

type Search = (query: Chunks) => string | undefined
interface Question {
  readonly text: HonestText
  readonly query: Chunks
}

function questionOf(text: HonestText, turn: number, random: Random): Question {
  return { text, query: queryOf(text, turn, random) }
}

function searchOf(honest: readonly HonestText[], attacks: readonly Attack[]): Search {
  const registry = new TextRegistry()
  const sentBy = (isFirst: boolean) =>
    attacks.filter((attack) => attack.isFirst === isFirst).flatMap(({ sent }) => sent)
  for (const sent of sentBy(true)) registry.register(sent)
  for (const { sent } of honest) registry.register(sent)
  for (const sent of sentBy(false)) registry.register(sent)
  return registry.search()
}

/** 10,000 honest texts, and 500 registrations of attackers about some of them. Every query is about a text under attack. */
export async function measurePoison(): Promise<Figure[]> {
  return recallUnderAttack(HONEST, seededRandom(1)).map(({ name, queries, without, attacked }) => ({
    name: `recall lost at rank 1, ${name}`,
    ratio: (without - attacked) / queries,
    ...(name === 'all attacks' ? { bar: { limit: MAX_LOSS, good: 'at most' } as const } : {}),
    detail: `${attacked} of ${queries}; ${without} without attackers`,
  }))
}
