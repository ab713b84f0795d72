export const words = {
  ask: 'Search the public records',
  askHint:
    'Nobody has been asked yet. The search sends the hash of this file to this deployment. It finds only what its owner made findable.',
  similar: 'Look for copies',
  similarLead: 'Registered content that looks or reads alike. Only a fingerprint leaves this browser.',
  similarNone: 'No registered content is similar.',
  similarText: (percent: number) => `${percent} % of the passages`,
  similarImage: (distance: number) => `${distance} of 256 bits differ`,
  similarRefused: 'It has too little text or detail to search for.',
}
export type SimilarWords = typeof words
