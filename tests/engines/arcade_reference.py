"""The games of the arcade in plain Python: sets of cells (row, column) on a torus, as docs/arcade.md describes them."""

from __future__ import annotations

WORD = 2**64
SIDE = 6
CELLS = [(i, j) for i in range(SIDE) for j in range(SIDE)]
STEPS = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]
GAMES = ("collect", "avoid", "chase", "maze", "cross", "shoot", "cue", "dig")


def mix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


def nth(x, n):
    return mix((x + 0x9E3779B97F4A7C15 * (n + 1)) % WORD)


def unit(x):
    return (x >> 11) / 2**53


def bits(key, episode, t, lane):
    return nth(key, episode << 32 | t << 3 | lane)


def below(x, n):
    return int(unit(x) * n)


def moved(cell, action):
    return (cell[0] + STEPS[action][0]) % SIDE, (cell[1] + STEPS[action][1]) % SIDE


def around(cell):
    return {moved(cell, action) for action in (1, 2, 3, 4)}


def reached(start, passable):
    found, waiting = {start}, [start]
    while waiting:
        new = (around(waiting.pop()) & passable) - found
        found |= new
        waiting += new
    return found


def distance(one, other):
    return sum(min((a - b) % SIDE, (b - a) % SIDE) for a, b in zip(one, other, strict=True))


def pick(cells, x):
    return sorted(cells)[below(x, len(cells))]


class Game:
    """A level. `things` are the sets of cells of each class, in the order in which they are drawn; then the agent."""

    centred = True
    deadly_bad = True

    def __init__(self, level):
        number = GAMES.index(type(self).__name__.lower())
        self.world = nth(mix(number + 1), level)
        self.lay()

    def draw(self, k):
        return nth(self.world, k)

    def scatter(self, k, cells, count):
        chosen = set()
        for i in range(count):
            chosen.add(pick(set(cells) - chosen, self.draw(k + i)))
        return chosen

    def step(self, action, t):
        """(reward, sub-goals, touched, over)."""
        return self.play(action, bits(self.world, 1, t, 0))

    def picture(self):
        """The classes of the view, row by row."""
        rows = [[0] * SIDE for _ in range(SIDE)]
        for code, cells in [*self.things(), (self.agent_code(), {self.at})]:
            for i, j in cells:
                row = (i - self.at[0] + SIDE // 2) % SIDE if self.centred else i
                rows[row][(j - self.at[1] + SIDE // 2) % SIDE] = code
        return rows

    def agent_code(self):
        return 1


class Collect(Game):
    def lay(self):
        k = -64
        while True:
            k += 64
            self.at = pick(CELLS, self.draw(k))
            free = set(CELLS) - {self.at}
            self.fruit = self.scatter(k + 1, free, 8)
            self.thorns = self.scatter(k + 9, free - self.fruit, 6)
            if self.fruit <= reached(self.at, set(CELLS) - self.thorns):
                return

    def play(self, action, x):
        self.at = moved(self.at, action)
        fruit, thorn = self.at in self.fruit, self.at in self.thorns
        self.fruit.discard(self.at)
        self.thorns.discard(self.at)
        return fruit - thorn, 0, thorn, not self.fruit

    def things(self):
        return [(2, self.fruit), (3, self.thorns)]


class Avoid(Game):
    def lay(self):
        self.rocks = {(below(self.draw(j), SIDE), j) for j in range(SIDE)}
        rows = {j for _, j in self.scatter(6, [(0, j) for j in range(SIDE)], 3)}
        self.bats = {(i, below(self.draw(9 + i), SIDE)) for i in rows}
        self.at = pick(set(CELLS) - self.rocks - self.bats, self.draw(15))

    def play(self, action, x):
        self.at = moved(self.at, action)
        self.rocks = {moved(rock, 2) for rock in self.rocks}
        self.bats = {moved(bat, 4) for bat in self.bats}
        hit = self.at in self.rocks | self.bats
        return -1.0 if hit else 0.25, 0, hit, False

    def things(self):
        return [(2, self.rocks), (3, self.bats)]


class Chase(Game):
    def lay(self):
        self.at = CELLS[below(self.draw(0), 36)]
        self.ghost = self.opposite()
        self.prey = self.another(self.draw(1))

    def opposite(self):
        return (self.at[0] + 3) % SIDE, (self.at[1] + 3) % SIDE

    def another(self, x):
        """One of the cells at least 3 steps away, counted from the corner of the view."""
        corner = (self.at[0] - 3, self.at[1] - 3)
        ordered = [((corner[0] + i) % SIDE, (corner[1] + j) % SIDE) for i, j in CELLS]
        far = [cell for cell in ordered if distance(cell, self.at) >= 3]
        return far[below(x, len(far))]

    def neighbour(self, cell, turn, sign):
        """The first of the best of the cell and its neighbours: near the agent (1) or far from it (-1)."""
        ways = [cell, *(moved(cell, 1 + (turn + i) % 4) for i in range(4))]
        return min(ways, key=lambda way: sign * distance(way, self.at))

    def play(self, action, x):
        self.at = moved(self.at, action)
        caught = self.prey == self.at
        if caught:
            self.prey = self.another(nth(x, 0))
        else:
            u, turn, to = unit(nth(x, 1)), below(nth(x, 2), 4), self.prey
            if u < 0.35:
                to = self.neighbour(self.prey, turn, -1)
            elif u < 0.5:
                to = moved(self.prey, 1 + turn)
            self.prey = self.prey if to == self.at else to
        touched = self.ghost == self.at
        if not touched and unit(nth(x, 3)) < 0.5:
            self.ghost = self.neighbour(self.ghost, below(nth(x, 4), 4), 1)
            touched = self.ghost == self.at
        if touched:
            self.ghost = self.opposite()
        return caught - touched, 0, touched, False

    def things(self):
        return [(2, {self.prey}), (3, {self.ghost})]


class Maze(Game):
    def lay(self):
        k = -64
        while not self.laid(k := k + 64):
            pass
        self.trodden, self.had = {self.at}, 0

    def laid(self, k):
        taken, fronts, apart = set(), set(), True
        self.treasures, self.doors, self.walls, self.traps = set(), set(), set(), set()
        for i in (0, 2):
            cell, way = pick(CELLS, self.draw(k + i)), 1 + below(self.draw(k + i + 1), 4)
            door = moved(cell, way)
            front, chamber = moved(door, way), {cell} | around(cell)
            apart &= not chamber & (taken | fronts) and front not in taken
            taken |= chamber
            fronts.add(front)
            self.treasures.add(cell)
            self.doors.add(door)
            self.walls |= chamber - {cell, door}
        free = set(CELLS) - taken
        self.at = pick(free - fronts, self.draw(k + 4))
        if not apart or reached(self.at, free) != free:
            return False
        for i in range(14):
            cell = pick(free - fronts - {self.at}, self.draw(k + 5 + i))
            if len(self.walls) < 11 and reached(self.at, free - {cell}) == free - {cell}:
                free.remove(cell)
                (self.traps if len(self.traps) < 2 else self.walls).add(cell)
        self.keys = self.scatter(k + 19, free - fronts - {self.at}, 2)
        return True

    def play(self, action, x):
        to = moved(self.at, action)
        if to not in self.walls and (to not in self.doors or self.had):
            self.at = to
        goals = (self.at in self.keys) + (self.at in self.doors) + 0.1 * (self.at not in self.trodden)
        self.had += (self.at in self.keys) - (self.at in self.doors)
        found, trapped = self.at in self.treasures, self.at in self.traps
        for cells in (self.keys, self.doors, self.treasures, self.traps):
            cells.discard(self.at)
        self.trodden.add(self.at)
        return found, goals, trapped, not self.treasures

    def things(self):
        return [(3, self.walls), (4, self.keys), (5, self.doors), (6, self.treasures), (7, self.traps)]

    def agent_code(self):
        return 2 if self.had else 1


class Cross(Game):
    def lay(self):
        self.cars = {3: set(), 4: set()}
        for i in (1, 2, 4, 5):
            count = 1 + below(self.draw(4 * i + 1), 2)
            cars = self.scatter(4 * i + 2, [(i, j) for j in range(SIDE)], count)
            self.cars[4 if below(self.draw(4 * i), 2) else 3] |= cars
        self.at, self.best, self.kerb = (0, below(self.draw(0), SIDE)), 0, 0

    def play(self, action, x):
        if not (action == 2 and self.at[0] == self.kerb):
            self.at = moved(self.at, action)
        lanes, reward = (self.kerb - self.at[0]) % SIDE, 0
        if lanes == 3:
            reward, self.kerb, self.best, lanes = 1, self.at[0], 0, 0
        self.cars = {way: {moved(car, way) for car in cars} for way, cars in self.cars.items()}
        hit = self.at in self.cars[3] | self.cars[4]
        new = lanes > self.best and not hit
        if new:
            self.best = lanes
        if hit:
            self.at = (self.kerb, self.at[1])
        return reward, new, hit, False

    def things(self):
        return [(4, {(i, j) for i, j in CELLS if i in (0, 3)}), (2, self.cars[3]), (3, self.cars[4])]


class Shoot(Game):
    centred = False

    def lay(self):
        self.foes, self.friends = set(), set()
        for i in range(4):
            self.arrive(i, self.draw(1 + i))
        self.at = (5, below(self.draw(0), SIDE))

    def arrive(self, row, x):
        if unit(nth(x, 1)) < 0.8:
            hostile = unit(nth(x, 3)) < 0.6
            (self.foes if hostile else self.friends).add((row, below(nth(x, 2), SIDE)))

    def play(self, action, x):
        reward, harmed = 0, False
        if action == 1:
            above = [cell for cell in self.foes | self.friends if cell[1] == self.at[1]]
            if above:
                target = max(above)
                harmed = target in self.friends
                reward = -1 if harmed else 1
                self.foes.discard(target)
                self.friends.discard(target)
        elif action in (3, 4):
            self.at = moved(self.at, action)
        if unit(nth(x, 0)) < 0.5:
            self.foes, self.friends = ({(i + 1, j) for i, j in cells} for cells in (self.foes, self.friends))
            if self.at in self.foes:
                reward, harmed = reward - 1, True
            self.foes, self.friends = ({cell for cell in cells if cell[0] < 5} for cells in (self.foes, self.friends))
            self.arrive(0, x)
        return reward, 0, harmed, False

    def things(self):
        return [(2, self.foes), (3, self.friends)]


class Cue(Game):
    def lay(self):
        k = -64
        while True:
            k += 64
            self.kind, self.at = below(self.draw(k), 2), pick(CELLS, self.draw(k + 1))
            free, self.kinds = set(CELLS) - {self.at}, []
            for i in range(2):
                self.kinds.append(self.scatter(k + 2 + 6 * i, free, 6))
                free -= self.kinds[-1]
            if self.kinds[self.kind] <= reached(self.at, set(CELLS) - self.kinds[1 - self.kind]):
                return

    def play(self, action, x):
        self.at = moved(self.at, action)
        touched = [kind for kind, cells in enumerate(self.kinds) if self.at in cells]
        right, wrong = touched == [self.kind], bool(touched) and touched != [self.kind]
        for cells in self.kinds:
            cells.discard(self.at)
        return right - 0.5 * wrong, 0, wrong, not self.kinds[self.kind]

    def things(self):
        return [(2 + kind, cells) for kind, cells in enumerate(self.kinds)]

    def picture(self):
        rows = super().picture()
        rows[0][0] = 2 + self.kind
        return rows


class Dig(Game):
    def lay(self):
        k = -64
        while True:
            k += 64
            self.at = pick(CELLS, self.draw(k))
            free, parts, first = set(CELLS) - {self.at}, [], k + 1
            for count in (6, 4, 5, 14):
                parts.append(self.scatter(first, free, count))
                free -= parts[-1]
                first += count
            self.gems, self.gas, self.stones, self.earth = parts
            if self.gems <= reached(self.at, set(CELLS) - self.gas - self.stones):
                return

    def play(self, action, x):
        to = moved(self.at, action)
        if to in self.earth:
            self.earth.remove(to)
        elif to not in self.stones:
            self.at = to
        gem, gas = self.at in self.gems, self.at in self.gas
        self.gems.discard(self.at)
        self.gas.discard(self.at)
        return gem - gas, 0, gas, not self.gems

    def things(self):
        return [(2, self.gems), (3, self.gas), (4, self.stones), (5, self.earth)]


def make(game, level):
    return dict(zip(GAMES, (Collect, Avoid, Chase, Maze, Cross, Shoot, Cue, Dig), strict=True))[game](level)
