/** Definitions with ids that are known from elsewhere: of canonical texts that another program has hashed. */
export const FIBONACCI =
  '{"format":"air/1","field":"goldilocks","columns":["a","b"],"public":["first","second","result"],"periodic":[],"nodes":[["next","a"],["cur","b"],["sub",0,1],["next","b"],["cur","a"],["add",4,1],["sub",3,5]],"constraints":[{"name":"shift","node":2},{"name":"sum","node":6}],"boundary":[{"column":"a","row":0,"value":["public","first"]},{"column":"b","row":0,"value":["public","second"]},{"column":"b","row":"last","value":["public","result"]}]}';

/** A hidden ratio takes `start` to `end`. */
export const RATIO =
  '{"format":"air/1","field":"goldilocks","columns":["term","ratio"],"public":["start","end"],"periodic":[],"nodes":[["next","term"],["cur","term"],["cur","ratio"],["mul",1,2],["sub",0,3],["next","ratio"],["sub",5,2]],"constraints":[{"name":"multiply","node":4},{"name":"hold","node":6}],"boundary":[{"column":"term","row":0,"value":["public","start"]},{"column":"term","row":"last","value":["public","end"]}]}';

/** Adds a public k on even rows, and squares on odd ones. */
export const UP_AND_SQUARE =
  '{"format":"air/1","field":"m31","columns":["x"],"public":["k","end"],"periodic":[{"name":"up","values":["1","0"]}],"nodes":[["periodic","up"],["cur","x"],["next","x"],["public","k"],["add",1,3],["mul",0,4],["const","1"],["sub",6,0],["mul",1,1],["mul",7,8],["add",5,9],["sub",2,10]],"constraints":[{"name":"step","node":11}],"boundary":[{"column":"x","row":0,"value":["const","3"]},{"column":"x","row":"last","value":["public","end"]}]}';

export const KNOWN = [
  {
    ...{ name: 'fibonacci', text: FIBONACCI, degree: 1 },
    id: 'air/sha256:ebd690067b7b39d334bba8e5dcc4c6f55b13e5eeb192f096b98702521605e9a7',
  },
  {
    ...{ name: 'a hidden ratio', text: RATIO, degree: 2 },
    id: 'air/sha256:6a75525fc1ece81c3c295e6cbb605c463bb92ad67e8fde688ee693cbd0c47053',
  },
  {
    ...{ name: 'a step by turns', text: UP_AND_SQUARE, degree: 3 },
    id: 'air/sha256:3a8556ed5e542b3fb4811d439fe525f96357f6d1aa9a384be9454774cf2294c9',
  },
] as const;
