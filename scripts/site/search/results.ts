import type MiniSearch from 'minisearch'
import { SEARCH_OPTIONS, type Section } from './options.ts'

const MAX_RESULTS = 12
/** So that one long page does not fill the list. */
const MAX_OF_PAGE = 2

export interface Result extends Pick<Section, 'id' | 'title' | 'heading' | 'group' | 'excerpt'> {}

/** The best sections for a query, few of one page. A section with all words of the query comes before one with some. */
export function resultsOf(engine: MiniSearch<Section>, query: string): Result[] {
  const found = engine
    .search(query, SEARCH_OPTIONS)
    .map((result) => ({ result, score: result.score * result.queryTerms.length ** 1.5 }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ result }) => result as unknown as Result)
  const counts = new Map<string, number>()
  const kept = found.filter(({ id }) => {
    const [page = ''] = id.split('#')
    const count = (counts.get(page) ?? 0) + 1
    counts.set(page, count)
    return count <= MAX_OF_PAGE
  })
  return kept.slice(0, MAX_RESULTS)
}
