"""Points, graphs and tables: key points of pictures, clouds of points, graph nets, recommendation, radiance fields."""
import torch
from torch import nn
from torch.nn import functional

from zoo.kinds_layers import conv_norm, settled, with_scores_apart


class KeyPoints(nn.Module):
    """SuperPoint: scores by softmax and shuffled cells, the local maxima's best ten, descriptors sampled there."""

    def __init__(self, count=10):
        super().__init__()
        self.count = count
        self.net = nn.Sequential(conv_norm(1, 16), nn.MaxPool2d(2), conv_norm(16, 32), nn.MaxPool2d(2),
                                 conv_norm(32, 32), nn.MaxPool2d(2))
        self.cells = nn.Sequential(nn.Conv2d(32, 65, 1), nn.BatchNorm2d(65))
        self.describe = nn.Conv2d(32, 64, 1)

    def scores(self, features):
        p = torch.softmax(self.cells(features), 1)[:, :-1]
        n, _, h, w = p.shape
        p = p.permute(0, 2, 3, 1).reshape(n, h, w, 8, 8).permute(0, 1, 3, 2, 4).reshape(n, h * 8, w * 8)
        largest = functional.max_pool2d(p[:, None], 9, 1, 4)[:, 0]
        return torch.where(p == largest, p, torch.zeros_like(p))

    def forward(self, pixels):
        features = self.net(pixels)
        scores = self.scores(features)
        n, h, w = scores.shape
        best, places = scores.reshape(n, -1).topk(self.count)
        grid = torch.stack([places % w / w * 2 - 1, places // w / h * 2 - 1], -1)[:, None]
        found = functional.grid_sample(functional.normalize(self.describe(features), dim=1), grid, align_corners=False)
        return best, functional.normalize(found[:, :, 0], dim=1)


def superpoint():
    def picture():
        return {"pixels": torch.randn(1, 1, 96, 128)}
    model = settled(KeyPoints(), *picture().values())
    return model, with_scores_apart(model, picture)


class PointCloud(nn.Module):
    """DGCNN's first layer: eight nearest neighbours of each point, differences, the largest of each feature."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv1d(6, 32, 1), nn.ReLU())
        self.second = nn.Sequential(nn.Conv1d(32, 128, 1), nn.BatchNorm1d(128), nn.ReLU())
        self.head = nn.Linear(128, 10)

    def forward(self, points):
        distance = ((points[:, :, None] - points[:, None]) ** 2).sum(-1)
        nearest = distance.topk(8, largest=False)[1]
        others = points[:, None].expand(-1, points.shape[1], -1, -1)
        near = torch.gather(others, 2, nearest[..., None].expand(-1, -1, -1, 3))
        pairs = torch.cat([near - points[:, :, None], points[:, :, None].expand_as(near)], -1)
        return self.head(self.second(self.first(pairs.flatten(1, 2).transpose(1, 2))).amax(2))


def pointnet():
    x = torch.randn(1, 64, 3)
    return settled(PointCloud(), x), {"points": x}


class GraphNet(nn.Module):
    """GraphSAGE's mean over the edges that lead to a node."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(16, 32), nn.Linear(32, 8)

    def forward(self, nodes, source, target):
        h = functional.relu(self.first(nodes))
        total = torch.zeros_like(h).index_add(0, target, h[source])
        count = torch.zeros(h.shape[0]).index_add(0, target, torch.ones(target.shape[0])).clamp(min=1)
        return self.last(total / count[:, None])


def gnn():
    return GraphNet(), {"nodes": torch.randn(20, 16), "source": torch.randint(0, 20, (60,)),
                        "target": torch.randint(0, 20, (60,))}


class Recommender(nn.Module):
    """DLRM: embedded categories and dense features, their products with each other, two perceptrons."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(100, 16) for _ in range(4))
        self.bottom = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(26, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, dense, ids):
        d = self.bottom(dense)
        vectors = torch.stack([d] + [table(ids[:, k]) for k, table in enumerate(self.tables)], 1)
        products = vectors @ vectors.transpose(1, 2)
        rows, columns = torch.tril_indices(5, 5, -1)
        return torch.sigmoid(self.top(torch.cat([d, products[:, rows, columns]], 1)))


def dlrm():
    return Recommender(), {"dense": torch.randn(4, 13), "ids": torch.randint(0, 100, (4, 4))}


class RadianceField(nn.Module):
    """NeRF: sines of six octaves, a perceptron with a way past, density and colour."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(given, 64) for given in (39, 64, 103))
        self.last = nn.Linear(64, 4)

    def forward(self, points):
        sines = [f(points * 2.0 ** k) for k in range(6) for f in (torch.sin, torch.cos)]
        given = torch.cat([points] + sines, -1)
        x = functional.relu(self.layers[1](functional.relu(self.layers[0](given))))
        return self.last(functional.relu(self.layers[2](torch.cat([x, given], -1))))


def nerf():
    return RadianceField(), {"points": torch.randn(128, 3)}


MAKERS = {f.__name__: f for f in (superpoint, pointnet, gnn, dlrm, nerf)}
